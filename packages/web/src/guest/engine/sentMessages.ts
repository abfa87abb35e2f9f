/** What the guest's files of this visit carry: each message once, however many files have it. */
import type { Message, SentMessage } from '../messages.ts'

export function isEmpty({ note, sender }: Message): boolean {
  return note === '' && sender === ''
}

export function isSameMessage(one: Message, other: Message): boolean {
  return one === other || (one.note === other.note && one.sender === other.sender)
}

export interface SentMessages {
  add(message: Message): void
  /** The one that stands for all that say the same: a snapshot then contains its text once. */
  known(message: Message): Message | undefined
  all(): readonly SentMessage[]
}

interface Counted {
  readonly message: Message
  files: number
}

/** Files of one go share the object, so that ten thousand are counted without a comparison of texts. */
export function createSentMessages(): SentMessages {
  const byText: Counted[] = []
  const found = new Map<Message, Counted>()
  function addNew(message: Message): Counted {
    const counted = { message, files: 0 }
    byText.push(counted)
    return counted
  }
  return {
    add(message) {
      if (isEmpty(message)) return
      const sent = found.get(message) ?? byText.find((one) => isSameMessage(one.message, message)) ?? addNew(message)
      found.set(message, sent)
      sent.files++
    },
    known: (message) => found.get(message)?.message,
    all: () => byText,
  }
}
