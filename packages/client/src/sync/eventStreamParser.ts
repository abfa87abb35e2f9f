/** Parses an event stream (WHATWG HTML, section 9.2.6). Pure: takes text in pieces of any size. */
export interface StreamBlock {
  /** The last event ID after this block. */
  readonly id: string
  /** Undefined for a block without data, which is not an event. */
  readonly event: { readonly name: string; readonly data: string } | undefined
}

interface EventStreamParser {
  /** The blocks that this piece completes. Throws `RangeError` for a block longer than any that a server sends. */
  push(piece: string): readonly StreamBlock[]
}

/** In UTF-16 units; an event has a few hundred. */
const MAX_BLOCK_LENGTH = 64 * 1024

/** `lastEventId`: after which the stream was asked to continue. A block without its final empty line is dropped. */
export function createEventStreamParser(lastEventId = ''): EventStreamParser {
  let line = ''
  let hasEndedInReturn = false
  let isFirst = true
  let id = lastEventId
  let name = ''
  let data: string[] = []
  let isBlock = false
  /** UTF-16 units of the block, without its unfinished line. */
  let length = 0

  function parseLine(text: string): StreamBlock | undefined {
    if (text === '') return endBlock()
    length += text.length + 1
    requireShort(length)
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') name = value
    else if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
    else return undefined
    isBlock = true
    return undefined
  }

  function endBlock(): StreamBlock | undefined {
    const event = data.length === 0 ? undefined : { name: name === '' ? 'message' : name, data: data.join('\n') }
    const block = isBlock ? { id, event } : undefined
    name = ''
    data = []
    isBlock = false
    length = 0
    return block
  }

  /** Lines end with CR, LF or both. The last part is not yet a line. */
  function linesOf(piece: string): readonly string[] {
    const rest = hasEndedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece
    if (piece !== '') hasEndedInReturn = piece.endsWith('\r')
    const parts = rest.split(/\r\n|\r|\n/)
    const whole = [line + (parts[0] ?? ''), ...parts.slice(1)]
    line = whole.pop() ?? ''
    return whole
  }

  return {
    push(piece) {
      const blocks: StreamBlock[] = []
      for (const text of linesOf(isFirst ? piece.replace(/^\uFEFF/, '') : piece)) {
        const block = parseLine(text)
        if (block !== undefined) blocks.push(block)
      }
      isFirst &&= piece === ''
      requireShort(length + line.length)
      return blocks
    },
  }
}

function requireShort(length: number): void {
  if (length > MAX_BLOCK_LENGTH) throw new RangeError('an event is longer than any of this protocol')
}
