/** Who is asked, in words: `user:ada` → `ada`, `role:approver` → `any approver`. */
export function approverText(entry: string): string {
  const [kind, name = ''] = entry.split(':')
  return kind === 'user' ? name : kind === 'role' ? `any ${name}` : entry
}

/** How far an approval is: `1 of 2 approvals`. */
export const progressText = (approved: number, quorum: number): string =>
  `${approved} of ${quorum} ${quorum === 1 ? 'approval' : 'approvals'}`
