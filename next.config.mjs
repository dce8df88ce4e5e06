// The pages only: server/main.ts answers everything else and hands the rest to Next.
/** @type {import('next').NextConfig} */
export default {
  agentRules: false,
  reactStrictMode: true,
  poweredByHeader: false,
  // types are checked for the whole project at once, before this
  typescript: { ignoreBuildErrors: true },
  // the server compresses nothing, and streams must not wait for a full buffer
  compress: false,
  // what browsers ask for before they have read of another
  redirects: () => Promise.resolve([{ source: '/favicon.ico', destination: '/icon.svg', permanent: false }]),
}
