import type { Method, Route } from './route'

/** A segment of a path that may fill a parameter: plain characters only, so nothing encoded, no dot at either end. */
const segmentPattern = /^[A-Za-z0-9_*-](?:[A-Za-z0-9_.*-]{0,298}[A-Za-z0-9_*-])?$/

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: readonly Method[] }
  | { readonly kind: 'none' }

type Pattern = { readonly segments: readonly string[]; readonly methods: Map<string, Route> }

/**
 * Matches a path exactly: case, slashes and every character count, nothing is decoded or normalised, so `/x/`, `//x`, `/X`,
 * `/x.` and `/%78` are other paths than `/x`. A literal segment wins over a parameter.
 */
export class Router {
  readonly #patterns: Pattern[] = []

  /** @throws Error when two rows answer the same method and path. */
  constructor(routes: readonly Route[]) {
    const known = new Map<string, Pattern>()
    for (const route of routes) {
      const pattern = known.get(route.path) ?? {
        segments: route.path.split('/').slice(1),
        methods: new Map<string, Route>(),
      }
      if (!known.has(route.path)) this.#patterns.push(pattern)
      known.set(route.path, pattern)
      if (pattern.methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`)
      pattern.methods.set(route.method, route)
    }
    const literals = (pattern: Pattern) =>
      pattern.segments.filter((segment) => !segment.startsWith(':')).length
    this.#patterns.sort((a, b) => literals(b) - literals(a))
  }

  /** `path` is raw, without query. */
  match(method: string, path: string): Match {
    const segments = path.split('/').slice(1)
    for (const pattern of this.#patterns) {
      const params = fit(pattern.segments, segments)
      if (!params) continue
      const route = pattern.methods.get(method)
      if (route) return { kind: 'route', route, params }
      return { kind: 'method', allow: [...pattern.methods.keys()].toSorted() as Method[] }
    }
    return { kind: 'none' }
  }
}

function fit(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (!expected.startsWith(':')) {
      if (segment !== expected) return null
    } else if (segmentPattern.test(segment)) params[expected.slice(1)] = segment
    else return null
  }
  return params
}
