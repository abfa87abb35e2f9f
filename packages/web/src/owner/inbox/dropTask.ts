import type { Album, InboxItem } from '@blindkeep/client/owner'
import type { Language } from '../../common/language.ts'
import type { OwnerPages } from '../context.ts'
import { inboxText, plainNameOf } from './texts.ts'
import type { WorkOutcome } from './work.ts'

export type DropTask =
  | { readonly kind: 'keep'; readonly album: Pick<Album, 'albumId' | 'name'>; readonly items: readonly InboxItem[] }
  | { readonly kind: 'discard'; readonly items: readonly InboxItem[] }

interface TaskReport {
  readonly task: DropTask
  readonly outcome: WorkOutcome<InboxItem>
  /** How many of those that are done somebody else had done before. */
  readonly gone: number
  readonly language: Language
}

type Message = Parameters<OwnerPages['tell']>[0]

/** What to say in passing once a task is over; what has failed stays on the page. */
export function messagesOf({ task, outcome: { done, left }, gone, language }: TaskReport): readonly Message[] {
  const text = inboxText(language)
  const count = done.length - gone
  const messages: Message[] = []
  if (count > 0) messages.push(doneMessage(task, count, language))
  if (gone > 0) messages.push({ tone: 'info', text: text.alreadyDone(gone) })
  if (left.length > 0) messages.push({ tone: 'info', text: text.stopped(left.length) })
  return messages
}

/** For whoever has left the page, where the failures stay. */
export function failureMessage({ kind }: DropTask, count: number, language: Language): Message {
  const { keeping, discarding, title } = inboxText(language)
  const text = (kind === 'keep' ? keeping : discarding).failed(count)
  return { tone: 'bad', text, link: { href: '#/inbox', text: title } }
}

/** One file is called by its name. */
function doneMessage(task: DropTask, count: number, language: Language): Message {
  const { keeping, discarding } = inboxText(language)
  const [only, ...others] = task.items
  const name = only !== undefined && others.length === 0 ? plainNameOf(only, language) : undefined
  if (task.kind === 'discard')
    return { tone: 'good', text: name === undefined ? discarding.done(count) : discarding.doneOne(name) }
  const album = task.album.name ?? keeping.albumUnnamed
  return {
    tone: 'good',
    text: name === undefined ? keeping.done(count, album) : keeping.doneOne(name, album),
    link: { href: `#/albums/${task.album.albumId}`, text: keeping.toAlbum },
  }
}
