/** Who is asked, in words: `user:ada` → `ada`, `role:approver` → `any approver`. */
export function approverText(entry: string): string {
  const [kind, name = ''] = entry.split(':')
  return kind === 'user' ? name : kind === 'role' ? `any ${name}` : entry
}
