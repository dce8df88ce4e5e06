/**
 * Writes what is looked at into the address, in place of what stood there. Not by the router: the server has nothing to say to it, and
 * where it is out of reach the router would leave the page.
 */
export function writeQuery(params: URLSearchParams): void {
  window.history.replaceState(null, '', params.size === 0 ? window.location.pathname : `?${params}`)
}
