import { useState } from 'preact/hooks'
import { Button, IconButton, Name, Progress } from '../common/controls.tsx'
import { formatBytes, formatPercent } from '../common/format.ts'
import { Icon } from '../common/icons.tsx'
import { ConfirmCancel } from './confirmCancel.tsx'
import { openFileChooser } from './dropZone.tsx'
import type { Unfinished } from './messages.ts'
import { useGuestPages } from './texts.ts'

const SHOWN_MOST = 20

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
  const isHere = uploads.some(({ isInOtherTab }) => !isInOtherTab)
  return (
    <section class="card stack unfinished" aria-labelledby="unfinished-heading">
      <div class="stack tight">
        <h2 id="unfinished-heading">{text.unfinished.heading(uploads.length)}</h2>
        {isHere && <p>{text.unfinished.more(uploads.length)}</p>}
        {isShut && <p>{text.unfinished.closed}</p>}
      </div>
      <ul class="rows">
        {uploads.slice(0, SHOWN_MOST).map((upload) => (
          <UnfinishedRow key={upload.id} upload={upload} onDiscard={() => setDoubtful(upload)} />
        ))}
      </ul>
      {uploads.length > SHOWN_MOST && <p class="soft small">{text.queue.hidden(uploads.length - SHOWN_MOST)}</p>}
      {isHere && (
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
  readonly onDiscard: () => void
}

function UnfinishedRow({ upload, onDiscard }: UnfinishedRowProps) {
  const { text, language } = useGuestPages()
  const { name, folder, size, bytes, of, isInOtherTab } = upload
  const far = bytes === 0 ? text.unfinished.none : text.unfinished.far(formatPercent(bytes, of, language))
  return (
    <li class="queue-row">
      <span class="row-icon">
        <Icon name={isInOtherTab ? 'upload' : 'pause'} />
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
        <p class="small soft">{isInOtherTab ? text.unfinished.inOtherTab : far}</p>
        {!isInOtherTab && <Progress label={name} value={bytes} max={Math.max(1, of)} />}
      </div>
      {!isInOtherTab && <IconButton icon="trash" label={text.unfinished.discard(name)} onClick={onDiscard} />}
    </li>
  )
}
