/**
 * What a proxy must know to find a commit:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

const LENGTH_BYTES = 4
/** The rest of a longer message is passed over: all that matter are shorter. */
const MAX_READ_BYTES = 256

export interface Message {
  /** Empty for the first message of a client. */
  readonly type: string
  /** The beginning of the body. */
  readonly text: string
}

/** Finds the messages in a stream that arrives in any pieces. A message is returned with the piece that ends it. */
export function createMessageReader(options: { readonly isOfClient: boolean }): (piece: Buffer) => readonly Message[] {
  // The first message of a client has no type.
  let typeBytes = options.isOfClient ? 0 : 1
  let head = Buffer.alloc(0)
  let passedOver = 0

  const headerBytes = () => typeBytes + LENGTH_BYTES
  /** Of the whole message, once its length has arrived. */
  const size = () => (head.length < headerBytes() ? headerBytes() : typeBytes + head.readInt32BE(typeBytes))

  /** Takes what it needs next from `rest`, and returns how many bytes that were. */
  function take(rest: Buffer): number {
    const toRead = Math.min(size(), MAX_READ_BYTES) - head.length
    if (toRead > 0) head = Buffer.concat([head, rest.subarray(0, toRead)])
    const taken = Math.min(rest.length, toRead > 0 ? toRead : size() - head.length - passedOver)
    if (toRead <= 0) passedOver += taken
    return taken
  }

  return (piece) => {
    const found: Message[] = []
    for (let at = 0; at < piece.length; ) {
      at += take(piece.subarray(at))
      if (head.length < headerBytes() || head.length + passedOver < size()) continue
      found.push({ type: head.toString('latin1', 0, typeBytes), text: head.toString('latin1', headerBytes()) })
      typeBytes = 1
      head = Buffer.alloc(0)
      passedOver = 0
    }
    return found
  }
}

/** A statement that ends a transaction for good, as a simple query or as one that is parsed first. */
export function isCommit({ type, text }: Message): boolean {
  return (type === 'Q' || type === 'P') && /(^|\0)\s*commit\b/i.test(text)
}

/** The server's word that a commit has happened. */
export function isCommitted({ type, text }: Message): boolean {
  return type === 'C' && text.startsWith('COMMIT')
}
