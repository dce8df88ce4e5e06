// Journeys run against the product as people run it, one server for each worker.
import { expect, test as base, type Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { bootMs, startServer, stopMs, type ServerOptions, type ServerProcess } from '@/testing/server-process'

export { expect } from '@playwright/test'

export type Rest = ReturnType<typeof restClient>

/** Starts a server and waits until it draws pages too, which it prepares while its API answers already. */
export async function startWithPages(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServer(options)
  await expect
    .poll(async () => (await fetch(`${server.origin}/sign-in`)).status, { timeout: bootMs })
    .toBe(200)
  return server
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>

type Test = {
  /** The public contract with all roles, for what happens outside of the browser. */
  rest: Rest
  /** What a journey provokes on purpose: console errors that match are no failure of the page. */
  provoked: (pattern: RegExp) => void
}

type Worker = {
  server: ServerProcess
  /** Settings of the worker's server, beside the defaults of tests. */
  serverEnv: Record<string, string>
  /** The cookies of somebody who has signed in by the link that the server printed. */
  session: Session
}

/** The one-time link that a server printed at its start. */
export function signInLink(server: ServerProcess): string {
  const links = [...server.log().matchAll(/Sign in once with (\S+)/g)]
  const link = links.at(-1)?.[1]
  if (link === undefined) throw new Error(`the server printed no link\n${server.log()}`)
  return link
}

/** Spends the server's link in a page, as a person does. */
export async function signIn(page: Page, server: ServerProcess): Promise<void> {
  await page.goto(signInLink(server))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`${server.origin}/`)
}

/** Collects what no page may ever do: errors in the console, uncaught errors, violations of the content security policy. */
function listen(page: Page, found: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(`${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => found.push(`uncaught: ${error.message}`))
}

/** Marks the document, so that `expectSameDocument` can tell that it was never loaded anew. */
export async function markDocument(page: Page): Promise<void> {
  await page.evaluate(() => document.documentElement.setAttribute('data-same-document', 'yes'))
}

export async function expectSameDocument(page: Page): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('data-same-document', 'yes')
}

/** The card of a node on the canvas; its `data-status` is what the run says of it. */
export const card = (page: Page, node: string) => page.locator(`[data-node="${node}"]`)

/** Publishes the draft of an editor by the keys: Ctrl+S asks, with the focus in the note, and Enter publishes. */
export async function publishDraft(page: Page, revision: number): Promise<void> {
  await page.keyboard.press('Control+s')
  await expect(page.getByRole('dialog', { name: 'Publish' }).getByLabel('Note')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Published revision ${revision}`, { exact: true })).toBeVisible()
  // While it leaves, keys are still its own.
  await expect(page.getByRole('dialog', { name: 'Publish' })).toHaveCount(0)
}

/**
 * Playwright's test with a `server` for each worker, `rest` to it, and pages of somebody who is signed in. Every journey
 * fails on console errors and policy violations that it did not provoke.
 */
export const test = base.extend<Test, Worker>({
  serverEnv: [{}, { option: true, scope: 'worker' }],
  server: [
    async ({ serverEnv }, use) => {
      const server = await startWithPages({ env: serverEnv })
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: bootMs + stopMs },
  ],
  session: [
    async ({ server, browser }, use) => {
      const context = await browser.newContext({ baseURL: server.origin })
      await signIn(await context.newPage(), server)
      const state = await context.storageState()
      await context.close()
      await use(state)
    },
    { scope: 'worker' },
  ],
  baseURL: ({ server }, use) => use(server.origin),
  storageState: ({ session }, use) => use(session),
  rest: ({ server }, use) => use(restClient(server)),
  provoked: [
    async ({ context }, use) => {
      const found: string[] = []
      const expected: RegExp[] = []
      context.on('page', (page) => listen(page, found))
      for (const page of context.pages()) listen(page, found)
      await use((pattern) => expected.push(pattern))
      expect(
        found.filter((text) => !expected.some((pattern) => pattern.test(text))),
        'errors in the console of the pages',
      ).toEqual([])
    },
    { auto: true },
  ],
})
