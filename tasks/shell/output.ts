import { StringDecoder } from 'node:string_decoder'

const TAIL_BYTES = 64 * 1024

/** One stream of a program: its lines as they come, and the end of it for the output. */
export type ProgramOutput = {
  take(chunk: Buffer): void
  /** The last 64 KB, with a first line that says so when more was there. Hands on an unfinished line. */
  end(): string
}

export function createProgramOutput(line: (text: string) => void): ProgramOutput {
  const decoder = new StringDecoder('utf8')
  let open = ''
  const tail: Buffer[] = []
  let size = 0
  let dropped = 0
  return {
    take(chunk) {
      const parts = (open + decoder.write(chunk)).split('\n')
      open = parts.pop() ?? ''
      if (open.length > TAIL_BYTES) {
        parts.push(open)
        open = ''
      }
      for (const part of parts) line(part)
      tail.push(chunk)
      size += chunk.length
      for (let [first] = tail; first !== undefined && size - first.length >= TAIL_BYTES; [first] = tail) {
        tail.shift()
        size -= first.length
        dropped += first.length
      }
    },
    end() {
      open += decoder.end()
      if (open !== '') line(open)
      open = ''
      const cut = Math.max(0, size - TAIL_BYTES)
      const text = Buffer.concat(tail).subarray(cut).toString()
      const missing = dropped + cut
      // A character that was cut in two is left out.
      return missing === 0 ? text : `… (${missing} bytes before)\n${text.replace(/^\uFFFD+/, '')}`
    },
  }
}
