import type { Album } from '@blindkeep/client/owner'
import type { OwnerPages } from '../context.ts'
import type { ListedDrop } from './dropList.ts'
import { type InboxText, plainNameOf } from './texts.ts'
import type { WorkOutcome } from './workThrough.ts'

export type DropTask =
  | { readonly kind: 'keep'; readonly album: Pick<Album, 'albumId' | 'name'>; readonly items: readonly ListedDrop[] }
  | { readonly kind: 'discard'; readonly items: readonly ListedDrop[] }

interface TaskReport {
  readonly task: DropTask
  readonly outcome: WorkOutcome<ListedDrop>
  /** How many of the done files another tab or device had handled before. */
  readonly alreadyDone: number
}

type Message = Parameters<OwnerPages['showMessage']>[0]

/** The messages after a task. Failures are shown on the page instead. */
export function messagesOf({ task, outcome, alreadyDone }: TaskReport, text: InboxText): readonly Message[] {
  const { done, stopped } = outcome
  const count = done.length - alreadyDone
  const messages: Message[] = []
  if (count > 0) messages.push(doneMessage(task, count, text))
  if (alreadyDone > 0) messages.push({ tone: 'info', text: text.alreadyDone(alreadyDone) })
  if (stopped.length > 0) messages.push({ tone: 'info', text: text.stopped(stopped.length) })
  return messages
}

/** For an owner who has left the page, where the failures are listed. */
export function failureMessage({ kind }: DropTask, count: number, { keeping, discarding, title }: InboxText): Message {
  const text = (kind === 'keep' ? keeping : discarding).failed(count)
  return { tone: 'bad', text, link: { href: '#/inbox', text: title } }
}

/** Names the file when it is only one. */
function doneMessage(task: DropTask, count: number, texts: InboxText): Message {
  const { keeping, discarding } = texts
  const [only, ...others] = task.items
  const name = only !== undefined && others.length === 0 ? plainNameOf(only, texts) : undefined
  if (task.kind === 'discard')
    return { tone: 'good', text: name === undefined ? discarding.done(count) : discarding.doneOne(name) }
  const album = task.album.name ?? keeping.albumUnnamed
  return {
    tone: 'good',
    text: name === undefined ? keeping.done(count, album) : keeping.doneOne(name, album),
    link: { href: `#/albums/${task.album.albumId}`, text: keeping.toAlbum },
  }
}
