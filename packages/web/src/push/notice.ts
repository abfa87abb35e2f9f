/** The words of a message, and what the notification keeps, so that the next one can count further. */
import { formats } from '../common/language/format.ts'
import type { Language } from '../common/language/language.ts'
import { push as german } from '../text/de/push.ts'
import { push as english } from '../text/en/push.ts'
import type { PushMessage } from './pushMessage.ts'

const texts = { en: english, de: german } as const
const LANDINGS = 'blindkeep-landings'
const ATTENTION = 'blindkeep-attention'

/** How many ids of messages a notification remembers. */
const MAX_IDS = 50

export interface Counted {
  readonly count: number
  /** Of the messages that are counted. */
  readonly ids: readonly string[]
}

export interface Notice {
  readonly title: string
  readonly body: string
  /** A notification replaces the one with the same tag. */
  readonly tag: string
  readonly counted: Counted | undefined
}

/** `shown`: what the notification that is still there has counted. A repeated message is not counted twice. */
export function noticeOf(
  message: PushMessage | undefined,
  { language, shown }: { readonly language: Language; readonly shown: Counted | undefined },
): Notice {
  const text = texts[language]
  if (message === undefined) return { ...text.unknown, tag: 'blindkeep-unknown', counted: undefined }
  const { server, id } = message
  if (message.about === 'test') return { ...text.test(server), tag: 'blindkeep-test', counted: undefined }
  const attention = [
    ...(message.isRefused ? [text.refused(server)] : []),
    ...(message.isNearlyFull ? [text.nearlyFull(server)] : []),
  ]
  const [first] = attention
  if (message.count === 0 && first !== undefined)
    return { ...first, body: attention.map(({ body }) => body).join(' '), tag: ATTENTION, counted: undefined }
  const { count: before, ids } = shown ?? { count: 0, ids: [] }
  const count = ids.includes(id) ? before : before + message.count
  const counted = { count, ids: ids.includes(id) ? ids : [...ids, id].slice(-MAX_IDS) }
  const landed = text.landed(count, { server, when: formats[language].instant(message.lastAt) })
  const body = [landed, ...attention].map((each) => each.body).join(' ')
  return { ...landed, body, tag: LANDINGS, counted }
}

export function isCounted(data: unknown): data is Counted {
  if (typeof data !== 'object' || data === null) return false
  const { count, ids }: Readonly<Record<string, unknown>> = { ...data }
  return typeof count === 'number' && Array.isArray(ids) && ids.every((id) => typeof id === 'string')
}
