import { KeyRound, LogIn, Terminal } from 'lucide-react'
import { Button } from '@/components/ui/button'
import { Mark } from './mark'

/** The sign-in page: a button that uses the one-time token, or without a token how to get one. Works without scripts. */
export function SignIn({
  token,
  next,
  failed,
}: {
  token: string | null
  /** Where to go afterwards; the server accepts its own paths only. */
  next: string | null
  failed: boolean
}) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <title>Sign in · Penstock</title>
      <div className="w-full max-w-sm">
        <div className="mb-5 flex items-center justify-center gap-3">
          <Mark className="size-10" />
          <span className="text-2xl font-semibold tracking-[-0.015em]">Penstock</span>
        </div>
        <div className="rounded-lg border border-line bg-surface p-5 shadow-card">
          {failed && (
            <p role="alert" className="mb-4 rounded-md border border-danger/40 px-3 py-2 text-danger">
              This link no longer works: a link works once, within an hour. Get a new one from the console.
            </p>
          )}
          {token !== null && !failed ? (
            <form method="post" action="/sign-in" className="flex flex-col gap-4">
              <div>
                <h1 className="text-lg font-semibold">Sign in to this server</h1>
                <p className="mt-1 text-muted">
                  The button uses up your one-time link. This browser then stays signed in.
                </p>
              </div>
              <input type="hidden" name="token" value={token} />
              {next !== null && <input type="hidden" name="next" value={next} />}
              <Button type="submit" tone="primary" size="large" className="w-full">
                <LogIn aria-hidden /> Sign in
              </Button>
            </form>
          ) : (
            <div>
              <h1 className="text-lg font-semibold">Sign in with the link from the console</h1>
              <ol className="mt-3 flex flex-col gap-3 text-muted">
                <li className="flex gap-3">
                  <Terminal aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
                  <span>
                    Open the terminal (or the log) where <code>npm start</code> runs on the server.
                  </span>
                </li>
                <li className="flex gap-3">
                  <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
                  <span>
                    It prints a sign-in link that works once. Open that link in this browser. A new one is
                    printed at every start.
                  </span>
                </li>
              </ol>
            </div>
          )}
        </div>
        <p className="mt-4 text-center text-xs text-faint">
          There is no password, and nothing is sent by mail.
        </p>
      </div>
    </main>
  )
}
