import { useState } from 'preact/hooks'
import { Button, IconButton, Name, Progress } from '../common/controls.tsx'
import { formatBytes, formatPercent } from '../common/format.ts'
import { Icon } from '../common/icons.tsx'
import { ConfirmCancel } from './confirmCancel.tsx'
import { openFileChooser } from './dropZone.tsx'
import type { Unfinished } from './messages.ts'
import { type GuestPages, useGuestPages } from './texts.ts'

const MAX_SHOWN = 20

interface UnfinishedCardProps {
  readonly uploads: readonly Unfinished[]
  /** The link takes nothing new. */
  readonly isShut: boolean
}

/** What an earlier visit left behind, how far it got, and what to do to go on. */
export function UnfinishedCard({ uploads, isShut }: UnfinishedCardProps) {
  const { text, tell } = useGuestPages()
  const [doubtful, setDoubtful] = useState<Unfinished>()
  if (uploads.length === 0) return null
  const here = uploads.filter(({ isInOtherTab }) => !isInOtherTab)
  const canGoOn = here.some(({ isGone }) => !isGone)
  const isOffered = here.length > 0 && (canGoOn || !isShut)
  return (
    <section class="card stack unfinished" aria-labelledby="unfinished-heading">
      <div class="stack tight">
        <h2 id="unfinished-heading">{text.unfinished.heading(uploads.length)}</h2>
        {canGoOn && <p>{text.unfinished.more(uploads.length)}</p>}
        {isShut && canGoOn && <p>{text.unfinished.closed}</p>}
      </div>
      <ul class="rows">
        {uploads.slice(0, MAX_SHOWN).map((upload) => (
          <UnfinishedRow key={upload.id} upload={upload} isShut={isShut} onDiscard={() => setDoubtful(upload)} />
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
      {doubtful !== undefined && (
        <ConfirmCancel
          row={doubtful}
          onClose={() => setDoubtful(undefined)}
          onYes={() => tell({ do: 'discard', id: doubtful.id })}
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
  const { text, language } = pages
  const { name, folder, size, bytes, of, isInOtherTab, isGone } = upload
  return (
    <li class="queue-row">
      <span class="row-icon">
        <Icon name={isInOtherTab ? 'upload' : isGone ? 'alert' : 'pause'} />
      </span>
      <div class="grow stack tight">
        <p class="row-name">
          {folder !== '' && (
            <span class="soft">
              <Name>{folder}</Name>/
            </span>
          )}
          <Name>{name}</Name> <span class="soft small row-size">{formatBytes(size, language)}</span>
        </p>
        <p class="small soft">{standingOf(upload, isShut, pages)}</p>
        {!isInOtherTab && !isGone && <Progress label={name} value={bytes} max={Math.max(1, of)} />}
      </div>
      {!isInOtherTab && <IconButton icon="trash" label={text.unfinished.discard(name)} onClick={onDiscard} />}
    </li>
  )
}

function standingOf(upload: Unfinished, isShut: boolean, { text, language }: GuestPages): string {
  const { bytes, of, isInOtherTab, isGone } = upload
  const { unfinished } = text
  if (isInOtherTab) return unfinished.inOtherTab
  if (isGone) return isShut ? unfinished.gone : unfinished.goneAnew
  return bytes === 0 ? unfinished.none : unfinished.far(formatPercent(bytes, of, language))
}
