import { useState } from 'preact/hooks'
import { Button, IconButton, Progress } from '../common/controls.tsx'
import { formatPercent } from '../common/format.ts'
import { Icon } from '../common/icons.tsx'
import { ConfirmCancel } from './confirmCancel.tsx'
import { openFileChooser } from './dropZone.tsx'
import type { Unfinished } from './messages.ts'
import { RowName } from './rowName.tsx'
import { type GuestPages, useGuestPages } from './texts.ts'

const MAX_SHOWN = 20

interface UnfinishedCardProps {
  readonly uploads: readonly Unfinished[]
  /** The link accepts no new files. */
  readonly isShut: boolean
}

/** Unfinished uploads of earlier visits, how far each is, and how to continue. */
export function UnfinishedCard({ uploads, isShut }: UnfinishedCardProps) {
  const { text, tell } = useGuestPages()
  const [discarding, setDiscarding] = useState<Unfinished>()
  if (uploads.length === 0) return null
  const here = uploads.filter(({ isInOtherTab }) => !isInOtherTab)
  const canContinue = here.some(({ mustRestart }) => !mustRestart)
  const isOffered = here.length > 0 && (canContinue || !isShut)
  return (
    <section class="card stack unfinished" aria-labelledby="unfinished-heading">
      <div class="stack tight">
        <h2 id="unfinished-heading">{text.unfinished.heading(uploads.length)}</h2>
        {canContinue && <p>{text.unfinished.more(uploads.length)}</p>}
        {isShut && canContinue && <p>{text.unfinished.closed}</p>}
      </div>
      <ul class="rows">
        {uploads.slice(0, MAX_SHOWN).map((upload) => (
          <UnfinishedRow key={upload.id} upload={upload} isShut={isShut} onDiscard={() => setDiscarding(upload)} />
        ))}
      </ul>
      {uploads.length > MAX_SHOWN && <p class="soft small">{text.queue.hidden(uploads.length - MAX_SHOWN)}</p>}
      {isOffered && (
        <div>
          <Button kind="primary" icon="file" onClick={openFileChooser}>
            {text.unfinished.choose}
          </Button>
        </div>
      )}
      {discarding !== undefined && (
        <ConfirmCancel
          row={discarding}
          onClose={() => setDiscarding(undefined)}
          onYes={() => tell({ do: 'discard', id: discarding.id })}
        />
      )}
    </section>
  )
}

interface UnfinishedRowProps {
  readonly upload: Unfinished
  readonly isShut: boolean
  readonly onDiscard: () => void
}

function UnfinishedRow({ upload, isShut, onDiscard }: UnfinishedRowProps) {
  const pages = useGuestPages()
  const { text } = pages
  const { name, doneBytes, totalBytes, isInOtherTab, mustRestart } = upload
  return (
    <li class="queue-row">
      <span class="row-icon">
        <Icon name={isInOtherTab ? 'upload' : mustRestart ? 'alert' : 'pause'} />
      </span>
      <div class="grow stack tight">
        <RowName {...upload} />
        <p class="small soft">{statusOf(upload, isShut, pages)}</p>
        {!isInOtherTab && !mustRestart && <Progress label={name} value={doneBytes} max={Math.max(1, totalBytes)} />}
      </div>
      {!isInOtherTab && <IconButton icon="trash" label={text.unfinished.discard(name)} onClick={onDiscard} />}
    </li>
  )
}

function statusOf(upload: Unfinished, isShut: boolean, { text, language }: GuestPages): string {
  const { doneBytes, totalBytes, isInOtherTab, mustRestart } = upload
  const { unfinished } = text
  if (isInOtherTab) return unfinished.inOtherTab
  if (mustRestart) return isShut ? unfinished.deleted : unfinished.deletedRestart
  return doneBytes === 0 ? unfinished.none : unfinished.far(formatPercent(doneBytes, totalBytes, language))
}
