/** Questions that something answers in the background, one after the other, so that the page stays responsive. */

export type Responder<Question, Answer> = {
  /** Rejects when the question cannot be answered: the caller opens another responder. */
  ask(question: Question): Promise<Answer>
  close(): void
}

/** Answers in the page itself, where no worker is available. The code is loaded only then. */
export function openInPage<Question, Answer>(
  load: () => Promise<(question: Question) => Answer>,
): Responder<Question, Answer> {
  const loaded = load()
  return { ask: async (question) => (await loaded)(question), close() {} }
}

export type Reply<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  /** late: it took longer than the limit · dropped: the request was cancelled · failed: it cannot be answered here */
  | { readonly ok: false; readonly why: 'late' | 'dropped' | 'failed' }

export type Requester<Question, Answer> = {
  /** One question at a time. `fresh`: the responder has not been asked anything before. */
  ask(question: (fresh: boolean) => Question): Promise<Reply<Answer>>
  /** Cancels the current question and closes the responder. */
  drop(): void
}

/**
 * Asks the responder that `open` opens.
 *
 * @param open may throw where no worker is available
 * @param openFallback used from then on, and also when a responder fails at its first question
 * @param limitMs longest time of one answer; a responder that takes longer is closed
 */
export function createRequester<Question, Answer>(
  open: () => Responder<Question, Answer>,
  openFallback: () => Responder<Question, Answer>,
  limitMs: number,
): Requester<Question, Answer> {
  let openNext = open
  let responder: Responder<Question, Answer> | null = null
  let fresh = true
  let cancel: (() => void) | null = null

  function openResponder(): Responder<Question, Answer> {
    fresh = true
    try {
      return openNext()
    } catch {
      openNext = openFallback
      return openNext()
    }
  }

  function drop(): void {
    responder?.close()
    responder = null
    cancel?.()
  }

  async function answerOf(question: (fresh: boolean) => Question): Promise<Answer> {
    responder ??= openResponder()
    let timer: ReturnType<typeof setTimeout> | undefined
    const ended = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), limitMs)
      cancel = () => reject(dropped)
    })
    try {
      const answer = responder.ask(question(fresh))
      fresh = false
      return await Promise.race([answer, ended])
    } finally {
      cancel = null
      clearTimeout(timer)
    }
  }

  async function ask(question: (fresh: boolean) => Question): Promise<Reply<Answer>> {
    const first = responder === null
    try {
      return { ok: true, answer: await answerOf(question) }
    } catch (fault) {
      if (fault === dropped) return { ok: false, why: 'dropped' }
      drop()
      if (fault === late) return { ok: false, why: 'late' }
      if (!first || openNext === openFallback) return { ok: false, why: 'failed' }
      openNext = openFallback
      return ask(question)
    }
  }

  return { ask, drop }
}

const late = new Error('the answer takes longer than the limit')
const dropped = new Error('the request was cancelled')
