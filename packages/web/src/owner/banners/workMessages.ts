/** What is said when a piece of work has ended. Failures are shown in the bar instead. */
import { isolated } from '../../common/names/isolated.ts'
import { albumName } from '../assets/assetNames.ts'
import type { UndoOf } from '../bin/useUndo.ts'
import type { OwnerPages } from '../ground/ownerPages.ts'
import type { albumsTexts, binTexts, InboxText, WorkText } from '../ground/texts.ts'
import type { WorkReport } from '../work/workRunner.ts'

type Message = Parameters<OwnerPages['showMessage']>[0]

interface Texts {
  readonly work: WorkText
  readonly inbox: InboxText
  readonly albums: (typeof albumsTexts)['en']
  readonly bin: (typeof binTexts)['en']
}

export function messagesOf(report: WorkReport, texts: Texts, actionFor: UndoOf): readonly Message[] {
  const { order, already, stopped } = report
  const messages: Message[] = []
  if (order.isUnasked === true) return messages
  const isOfPictures = order.kind === 'thumbnail'
  if (report.done > 0) {
    const { text, ...message } = doneMessage(report, texts)
    messages.push({ ...message, text: text + restOf(report, texts), action: undoOf(report, actionFor) })
  }
  if (already > 0)
    messages.push({ tone: 'info', text: (isOfPictures ? texts.albums.thumbnails.none : texts.work.already)(already) })
  if (stopped > 0) messages.push({ tone: 'info', text: texts.work.stopped(stopped) })
  return messages
}

/** What was handled elsewhere may be in the bin for another reason. */
function undoOf({ doneItems }: WorkReport, actionFor: UndoOf): Message['action'] {
  const ids = doneItems.flatMap((item) => (item.do === 'discard' || item.do === 'delete' ? [item.id] : []))
  return ids.length === 0 ? undefined : actionFor(ids)
}

/** What earlier pages have done of it is not said again. */
function restOf({ order, total, done }: WorkReport, { work }: Texts): string {
  return total > order.items.length && order.last === undefined ? ` ${work.rest(done, total)}` : ''
}

/** Names the file when it is only one. */
function doneMessage({ order, doneItems, done, failed }: WorkReport, { inbox, albums, bin }: Texts): Message {
  const [first] = done === 1 ? doneItems : []
  const name = first?.name === undefined ? undefined : isolated(first.name)
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
    case 'restore':
      return { tone: 'good', text: bin.restored(done) }
    case 'end':
      return { tone: 'good', text: bin.end.done(done) }
    case 'save':
      return { tone: 'good', text: albums.saving.done(done) }
    case 'thumbnail':
      return { tone: 'good', text: albums.thumbnails.done(done) }
    case 'move':
      return {
        tone: 'good',
        text: albums.move.done(done, albumName({ name: order.album?.name, nameFault: undefined }, albums)),
        link: order.album && { href: `#/albums/${order.album.albumId}`, text: albums.move.toAlbum },
      }
    case 'delete':
      if (order.last !== undefined && failed === 0) return { tone: 'good', text: albums.removeAlbum.done }
      return { tone: 'good', text: albums.remove.done(done) }
  }
}
