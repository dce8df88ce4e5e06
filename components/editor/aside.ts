/** Work beside the page: a worker answers one question after the other, whatever that costs, and the page stays as it is. */

export type Aside<Question, Answer> = {
  /** Rejects when it cannot be answered: whoever asked opens another. */
  ask(question: Question): Promise<Answer>
  close(): void
}

export function openAside<Question, Answer>(worker: Worker): Aside<Question, Answer> {
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
        worker.onerror = (event) => {
          event.preventDefault()
          reject(new Error(event.message))
        }
        worker.postMessage(question)
      }),
    close: () => worker.terminate(),
  }
}

/** What the other side of `openAside` does: answers every question, in their order. */
export function answerAside<Question, Answer>(answer: (question: Question) => Answer): void {
  const scope = self as unknown as {
    addEventListener(type: 'message', take: (event: MessageEvent<Question>) => void): void
    postMessage(answer: Answer): void
  }
  scope.addEventListener('message', ({ data }) => scope.postMessage(answer(data)))
}

/** The page itself, for where there are no workers. What answers is loaded when it is needed, which is hardly ever. */
export function openInPlace<Question, Answer>(
  load: () => Promise<(question: Question) => Answer>,
): Aside<Question, Answer> {
  const loaded = load()
  return { ask: async (question) => (await loaded)(question), close() {} }
}

export type Asked<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  /** late: it took longer than it may · dropped: nobody waits for it any more · failed: it cannot be done here */
  | { readonly ok: false; readonly why: 'late' | 'dropped' | 'failed' }

export type Asking<Question, Answer> = {
  /** One question at a time. `fresh`: whoever answers has been asked nothing yet. */
  ask(question: (fresh: boolean) => Question): Promise<Asked<Answer>>
  /** Ends what goes on, and forgets whoever answered. */
  drop(): void
}

/**
 * Asks what `open` opens, within a limit of milliseconds. Where it cannot be opened, or one that never answered fails, `inPlace` is
 * asked from then on.
 */
export function createAsking<Question, Answer>(
  open: () => Aside<Question, Answer>,
  inPlace: () => Aside<Question, Answer>,
  limitMs: number,
): Asking<Question, Answer> {
  let place = open
  let aside: Aside<Question, Answer> | null = null
  let fresh = true
  let abandon: (() => void) | null = null

  function openAnywhere(): Aside<Question, Answer> {
    fresh = true
    try {
      return place()
    } catch {
      place = inPlace
      return place()
    }
  }

  function drop(): void {
    aside?.close()
    aside = null
    abandon?.()
  }

  async function answered(question: (fresh: boolean) => Question): Promise<Answer> {
    aside ??= openAnywhere()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), limitMs)
      abandon = () => reject(dropped)
    })
    try {
      const answer = aside.ask(question(fresh))
      fresh = false
      return await Promise.race([answer, ended])
    } finally {
      abandon = null
      clearTimeout(timer)
    }
  }

  async function ask(question: (fresh: boolean) => Question): Promise<Asked<Answer>> {
    const first = aside === null
    try {
      return { ok: true, answer: await answered(question) }
    } catch (fault) {
      if (fault === dropped) return { ok: false, why: 'dropped' }
      drop()
      if (fault === late) return { ok: false, why: 'late' }
      if (!first || place === inPlace) return { ok: false, why: 'failed' }
      place = inPlace
      return ask(question)
    }
  }

  return { ask, drop }
}

const late = new Error('the answer takes too long')
const dropped = new Error('nobody waits for the answer any more')
