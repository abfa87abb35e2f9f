/** How far the work is, above every page: its progress, what it waits for, and what could not be done. */
import { useCallback } from 'preact/hooks'
import { Button, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { visibleName } from '../../common/names/visibleName.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { mayHaveThumbnail } from '../../preview/mayHavePreview.ts'
import { AssetName } from '../albums/removeDialog.tsx'
import { thumbnailOrder } from '../albums/thumbnailsOfAlbum.tsx'
import { isMadeWhenKept } from '../assets/thumbnails.ts'
import { useUndo } from '../bin/useUndo.ts'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts, binTexts, inboxTexts, workTexts } from '../ground/texts.ts'
import { type OwnWork, useWork, useWorkReports } from '../work/work.ts'
import type { Work } from '../work/workEntries.ts'
import type { WorkItem } from '../work/workOrder.ts'
import type { WorkReport } from '../work/workRunner.ts'
import type { ForeignWork } from '../work/workTabs.ts'
import { messagesOf } from './workMessages.ts'
import './workBar.css'

/** Of more failures only the number is said. */
const MAX_LISTED = 20

export function WorkBar() {
  const text = useText(workTexts)
  const work = useWork()
  useMessages(work)
  useThumbnailsOfKept(work)
  const { works, foreign } = work
  if (works.length === 0 && foreign.length === 0) return null
  return (
    <section class="work-bar stack tight no-print" aria-label={text.region}>
      {works.map((each) => (
        <OwnPiece key={each.id} piece={each} work={work} />
      ))}
      {foreign
        .filter(({ phase }) => phase === 'running' || phase === 'waiting' || phase === 'queued')
        .map((piece) => (
          <div key={piece.id} class="card work-piece stack tight">
            <Running kind={piece.kind} piece={piece} />
            <p class="small soft">{text.elsewhere}</p>
          </div>
        ))}
    </section>
  )
}

function useMessages(work: Pick<OwnWork, 'begin'>): void {
  const { showMessage } = useOwnerPages()
  const actionFor = useUndo(work)
  const [inbox, albums, bin] = [useText(inboxTexts), useText(albumsTexts), useText(binTexts)]
  const texts = { work: useText(workTexts), inbox, albums, bin }
  const say = useCallback(
    (report: WorkReport) => {
      for (const message of messagesOf(report, texts, actionFor)) showMessage(message)
    },
    [showMessage, texts.work],
  )
  useWorkReports(say)
}

/** Makes those of files that were kept, if the owner wants that. */
function useThumbnailsOfKept({ begin }: Pick<OwnWork, 'begin'>): void {
  const make = useCallback(
    ({ doneItems }: WorkReport) => {
      const kept = doneItems.flatMap((item) =>
        item.do === 'keep' && mayHaveThumbnail(item.drop.file) ? [item.assetId] : [],
      )
      if (isMadeWhenKept()) begin({ ...thumbnailOrder(kept), isUnasked: true })
    },
    [begin],
  )
  useWorkReports(make)
}

interface PieceProps {
  readonly piece: Work
  readonly work: Pick<OwnWork, 'goOn' | 'stop'>
}

function OwnPiece({ piece, work }: PieceProps) {
  const text = useText(workTexts)
  if (piece.phase === 'failed') return <Failed piece={piece} work={work} />
  if (piece.phase === 'asking') return <Asking piece={piece} work={work} />
  const hint = piece.isStopping
    ? text.stopping
    : piece.phase === 'waiting'
      ? text.waiting
      : piece.phase === 'queued'
        ? text.queued
        : undefined
  return (
    <div class="card work-piece stack tight">
      <div class="row apart">
        <div class="grow">
          <Running kind={piece.order.kind} piece={piece} />
        </div>
        {!piece.isStopping && (
          <Button kind="quiet" icon="close" onClick={() => work.stop(piece.id)}>
            {text.stop}
          </Button>
        )}
      </div>
      <p class="small soft" role="status">
        {hint}
      </p>
    </div>
  )
}

interface RunningProps {
  readonly kind: ForeignWork['kind']
  readonly piece: Pick<ForeignWork, 'finished' | 'total' | 'share'>
}

function Running({ kind, piece: { finished, total, share } }: RunningProps) {
  const label = useText(workTexts).running[kind](finished, total)
  return (
    <div class="stack tight">
      <p role="status">{label}</p>
      <Progress label={label} value={total === 0 ? undefined : finished + share} max={total} />
    </div>
  )
}

function Asking({ piece, work }: PieceProps) {
  const text = useText(workTexts)
  const format = useText(formats)
  const count = piece.total - piece.finished
  const { kind } = piece.order
  if (kind === 'save') return null
  return (
    <Notice tone="warn">
      <p>{text.asking[kind](count, format.date(new Date(piece.begunAt).toISOString()))}</p>
      <div class="row">
        <Button onClick={() => work.goOn(piece.id)}>{text.goOn}</Button>
        <Button kind="quiet" onClick={() => work.stop(piece.id)}>
          {text.forget}
        </Button>
      </div>
    </Notice>
  )
}

function Failed({ piece: { id, order, failures }, work }: PieceProps) {
  const text = useText(workTexts)
  const errorText = useText(errorTexts)
  const { notWritten } = useText(inboxTexts)
  return (
    <Notice tone="bad">
      <p>
        <strong>{text.failed[order.kind](failures.length)}</strong> {order.last !== undefined && text.albumStays}
      </p>
      <ul class="bullets work-failures">
        {failures.slice(0, MAX_LISTED).map(({ item, error }) => (
          <li key={item.id}>
            <ItemName item={item} />: {isOfDisk(item, error) ? notWritten : errorText(error)}
          </li>
        ))}
        {failures.length > MAX_LISTED && <li>{text.more(failures.length - MAX_LISTED)}</li>}
      </ul>
      <div class="row">
        <Button icon="retry" onClick={() => work.goOn(id)}>
          {text.retry}
        </Button>
        <Button kind="quiet" onClick={() => work.stop(id)}>
          {text.close}
        </Button>
      </div>
    </Notice>
  )
}

/** The browser's message about the file system is not made for users. */
const isOfDisk = (item: WorkItem, error: unknown) => item.do === 'save' && error instanceof DOMException

function ItemName({ item }: { readonly item: WorkItem }) {
  const { unnamed } = useText(binTexts)
  if ((item.do === 'thumbnail' || item.do === 'save') && item.assetId !== undefined)
    return <FileName assetId={item.assetId} />
  return item.do === 'delete' || item.do === 'move' ? (
    <FileName assetId={item.id} />
  ) : (
    <Name>{visibleName(item.name) ?? unnamed}</Name>
  )
}

/** As its tile names it. */
function FileName({ assetId }: { readonly assetId: string }) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts).album
  const { value, error } = useLoaded(() => owner.asset(assetId), assetId)
  if (value === undefined) return error === undefined ? text.opening : text.unreadable
  return <AssetName asset={value} />
}
