/** The error of an approval to which people said no; the run that it ends repeats it [R-51]. */
export const rejectionError = (name: string, comment: string | null) => ({
  kind: 'rejected',
  message: `rejected by ${name}${comment ? `: ${comment}` : ''}`,
})

/**
 * Who said no, from the error of an approval or of the run that it ended; null: it is no such error. A person's no is a decision and no
 * fault: pages do not show it as one.
 */
export function rejectedBy(error: { readonly kind: string; readonly message: string } | null): string | null {
  if (error?.kind !== 'rejected') return null
  return /(?:^|failed: )rejected by ([^\s:]+)/.exec(error.message)?.[1] ?? null
}

/** Why a run failed, as lists show it: a person's no without the word that the engine has for it. */
export const reasonText = (error: { readonly kind: string; readonly message: string }): string =>
  rejectedBy(error) === null ? error.message : error.message.replace(/^.*?failed: (?=rejected by )/, '')
