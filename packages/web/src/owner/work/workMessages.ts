/** What is said when a piece of work has ended. Failures are shown in the bar instead. */
import { albumName, type albumsTexts } from '../albums/texts.ts'
import type { OwnerPages } from '../context.ts'
import type { InboxText } from '../inbox/texts.ts'
import type { WorkText } from './texts.ts'
import type { WorkReport } from './workRunner.ts'

type Message = Parameters<OwnerPages['showMessage']>[0]

interface Texts {
  readonly work: WorkText
  readonly inbox: InboxText
  readonly albums: (typeof albumsTexts)['en']
}

export function messagesOf(report: WorkReport, texts: Texts): readonly Message[] {
  const { already, stopped } = report
  const messages: Message[] = []
  if (report.done > 0) messages.push(doneMessage(report, texts))
  if (already > 0) messages.push({ tone: 'info', text: texts.work.already(already) })
  if (stopped > 0) messages.push({ tone: 'info', text: texts.work.stopped(stopped) })
  return messages
}

/** Names the file when it is only one. */
function doneMessage({ order, done, failed }: WorkReport, { inbox, albums }: Texts): Message {
  const [only, ...others] = order.items
  const name = others.length === 0 ? only?.name : undefined
  switch (order.kind) {
    case 'discard': {
      const { doneOne, done: doneMany } = inbox.discarding
      return { tone: 'good', text: name === undefined ? doneMany(done) : doneOne(name) }
    }
    case 'keep': {
      const { doneOne, done: doneMany, toAlbum } = inbox.keeping
      const album = albumName({ name: order.album?.name, nameFault: undefined }, albums)
      return {
        tone: 'good',
        text: name === undefined ? doneMany(done, album) : doneOne(name, album),
        link: order.album && { href: `#/albums/${order.album.albumId}`, text: toAlbum },
      }
    }
    case 'delete':
      if (order.last !== undefined && failed === 0) return { tone: 'good', text: albums.removeAlbum.done }
      return { tone: 'good', text: albums.remove.done(done) }
  }
}
