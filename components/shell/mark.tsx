/** The mark: a pipe that falls from a gate to a turbine. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="7" fill="#0b6e69" />
      <path
        d="M4.5 9.5H13L19.5 22H27.5"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <path d="M13 4.8v9.4" stroke="#a6e3dc" strokeWidth="3" strokeLinecap="round" />
      <circle cx="25" cy="10" r="2.4" fill="#a6e3dc" />
    </svg>
  )
}
