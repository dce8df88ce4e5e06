export type Frame = { readonly event: string; readonly data: string; readonly id: string | null }

/**
 * Reads `text/event-stream` text piece by piece, wherever it is cut. Comments (heartbeats) go to `onComment`.
 * Bounded: a frame of more than 8 MB is an error, because no server of ours sends one.
 */
export function createFrameReader(
  onFrame: (frame: Frame) => void,
  onComment: (text: string) => void = () => {},
): (piece: string) => void {
  let rest = ''
  let event = ''
  let data: string[] = []
  let id: string | null = null
  let sawCarriageReturn = false
  return (piece) => {
    // A CRLF that was cut in two ends one line, not two.
    rest += sawCarriageReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    sawCarriageReturn = piece.endsWith('\r')
    if (rest.length > 8_000_000) throw new Error('The event stream sent a frame that is too large.')
    const lines = rest.split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) onFrame({ event: event === '' ? 'message' : event, data: data.join('\n'), id })
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) {
        onComment(line.slice(1))
        continue
      }
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) id = value
    }
  }
}
