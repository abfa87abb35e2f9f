import { useState } from 'preact/hooks'
import { Button, IconButton, Progress } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { canChooseFolders, openChooser } from '../form/dropZone.tsx'
import type { Snapshot, Unfinished } from '../ground/messages.ts'
import { isShut as isShutNow } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts, type Words } from '../ground/texts.ts'
import { SentMessages } from '../receipts/sentWith.tsx'
import { ConfirmCancel } from './confirmCancel.tsx'
import { RowName } from './rowName.tsx'

const MAX_SHOWN = 20

/** Files of earlier visits that have not arrived, how far each is, and how to continue. */
export function UnfinishedCard({ snapshot }: { readonly snapshot: Snapshot }) {
  const { unfinished: files, unfinishedMessages, neverBegun, counts, link } = snapshot
  const isShut = isShutNow(snapshot)
  const text = useText(guestTexts)
  const tell = useTell()
  const [discarding, setDiscarding] = useState<Unfinished>()
  if (files.length === 0) return null
  const here = files.filter(({ isInOtherTab }) => !isInOtherTab)
  // What is chosen already has the main button.
  const kind = counts.chosen > 0 ? undefined : 'primary'
  const canContinue = here.some(({ standing }) => standing === 'kept')
  const isOffered = here.length > 0 && (canContinue || !isShut)
  const count = files.filter(({ standing }) => standing !== 'never_begun').length + neverBegun.files
  const shown = files.slice(0, MAX_SHOWN)
  const hasFolders = canChooseFolders() && (neverBegun.hasFolders || here.some(({ folder }) => folder !== ''))
  const giveUp = (file: Unfinished) => {
    if (isUnsent(file)) tell({ do: 'discard', id: file.id })
    else setDiscarding(file)
  }
  return (
    <section class="card stack unfinished" aria-labelledby="unfinished-heading">
      <div class="stack tight">
        <h2 id="unfinished-heading">{text.unfinished.heading(count)}</h2>
        {isOffered && <p>{(canContinue ? text.unfinished.more : text.unfinished.moreUnsent)(count)}</p>}
        {isShut && canContinue && <p>{text.unfinished.closed}</p>}
      </div>
      <div class="row">
        {isOffered && hasFolders && (
          <Button kind={kind} icon="folder" onClick={() => openChooser('folder')}>
            {text.unfinished.chooseFolder}
          </Button>
        )}
        {isOffered && (
          <Button kind={hasFolders ? undefined : kind} icon="file" onClick={() => openChooser('files')}>
            {hasFolders ? text.unfinished.chooseFiles : text.unfinished.choose}
          </Button>
        )}
        {neverBegun.files > 1 && (
          <Button kind="quiet" icon="trash" onClick={() => tell({ do: 'discardNeverBegun' })}>
            {text.unfinished.discardAll(neverBegun.files)}
          </Button>
        )}
      </div>
      <SentMessages messages={unfinishedMessages} heading={text.unfinished.sealedWith} link={link} />
      {unfinishedMessages.length > 0 && <p class="soft small">{text.unfinished.sealedStays}</p>}
      <ul class="rows">
        {shown.map((upload) => (
          <UnfinishedRow key={upload.id} upload={upload} isShut={isShut} onDiscard={() => giveUp(upload)} />
        ))}
      </ul>
      {count > shown.length && <p class="soft small">{text.queue.hidden(count - shown.length)}</p>}
      {discarding !== undefined && (
        <ConfirmCancel
          file={{ ...discarding, arrivedBytes: discarding.doneBytes }}
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
  const text = useText(guestTexts)
  const format = useText(formats)
  const { name, doneBytes, totalBytes, isInOtherTab, standing } = upload
  return (
    <li class="queue-row">
      <span class="row-icon">
        <Icon name={isInOtherTab ? 'upload' : standing === 'kept' ? 'pause' : 'alert'} />
      </span>
      <div class="grow stack tight">
        <RowName {...upload} />
        <p class="small soft">{statusOf(upload, isShut, { text, format })}</p>
        {!isInOtherTab && standing === 'kept' && (
          <Progress label={name} value={doneBytes} max={Math.max(1, totalBytes)} />
        )}
      </div>
      {!isInOtherTab && <IconButton icon="trash" label={text.unfinished.discard(name)} onClick={onDiscard} />}
    </li>
  )
}

/** The server has nothing of it. */
function isUnsent({ standing }: Unfinished): boolean {
  return standing === 'never_begun' || standing === 'not_taken'
}

function statusOf(upload: Unfinished, isShut: boolean, { text, format }: Words): string {
  const { doneBytes, totalBytes, isInOtherTab, standing } = upload
  const { unfinished } = text
  if (isInOtherTab) return unfinished.inOtherTab
  if (isUnsent(upload)) return isShut ? unfinished.neverBegunShut : unfinished.neverBegun
  if (standing === 'deleted') return isShut ? unfinished.deleted : unfinished.deletedRestart
  return doneBytes === 0 ? unfinished.none : unfinished.far(format.percent(doneBytes, totalBytes))
}
