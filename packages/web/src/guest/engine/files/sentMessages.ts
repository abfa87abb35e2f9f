/** What the guest says with the files: name, message and answers. */
import type { SendState } from '@blindkeep/client/guest'
import { parseAnswers } from '@blindkeep/client/questions'
import type { Message, SentMessage } from '../../ground/messages.ts'

/** Without answers the member is absent. */
export function messageOf({ note, sender, answers = [] }: Message): Message {
  return { note, sender, ...(answers.length > 0 && { answers }) }
}

/** It cannot be changed any more. */
export function sealedMessageOf({ header: { note = '', sender = '', fields } }: SendState): Message {
  return messageOf({ note, sender, answers: parseAnswers(fields) })
}

export function isEmpty({ note, sender, answers = [] }: Message): boolean {
  return note === '' && sender === '' && answers.every(([, value]) => value === '')
}

export function isSameMessage(one: Message, other: Message): boolean {
  if (one === other) return true
  const isSaid = one.note === other.note && one.sender === other.sender
  return isSaid && JSON.stringify(one.answers) === JSON.stringify(other.answers)
}

/** What the files of this visit carry: each message once, however many files have it. */
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
