/**
 * Replaces the query of the address. Not by the router: the server need not know, and while it cannot be
 * reached the router would leave the page.
 */
export function writeQuery(params: URLSearchParams): void {
  window.history.replaceState(null, '', params.size === 0 ? window.location.pathname : `?${params}`)
}
