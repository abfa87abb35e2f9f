/** Files that other apps gave to this device: owners add or discard them. Nothing happens before. */
import type { Album } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, IconButton, Notice, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { CutName } from '../../common/names/cutName.tsx'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { chooseAlbumOf, deleteTaken, MAX_TAKEN_FILES, type TakenFile } from '../../take/takenFiles.ts'
import { AlbumForm } from '../albums/albumForm.tsx'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { goTo, useRoute } from '../ground/route.ts'
import { takeTexts } from '../ground/texts.ts'
import { type TakenUploads, uploadTaken } from '../uploads/takenUploads.ts'
import { useUploads } from '../uploads/uploads.ts'
import { useTakenFiles } from './useTakenFiles.ts'
import './take.css'

/** A longer name is cut in its middle. */
const CUT_FROM = 60

export function TakenCard() {
  const { owner, baseUrl, showMessage } = useOwnerPages()
  const text = useText(takeTexts)
  const files = useTakenFiles(baseUrl, owner.accountId)
  // On each page of the owner, because what an earlier page has begun continues with this one.
  const { items: _, ...uploads } = useUploads()
  /** The files that the owner saw at the opening. What another site sends meanwhile is not added. */
  const [adding, setAdding] = useState<readonly string[]>([])
  const chosen = files.filter(({ id }) => adding.includes(id))
  const discard = async (ids: readonly string[]) => {
    await deleteTaken(ids)
    showMessage({ tone: 'good', text: text.discarded(ids.length) })
  }
  if (files.length === 0) return <TakeFaultNotice />
  return (
    <section class="card stack taken" aria-labelledby="taken">
      <h2 id="taken">{text.waiting(files.length)}</h2>
      <p class="soft">{text.about}</p>
      <TakenList files={files} onDiscard={(id) => void discard([id])} />
      <TakeFaultNotice />
      <div class="row">
        <Button kind="primary" icon="album" onClick={() => setAdding(files.map(({ id }) => id))}>
          {text.add}
        </Button>
        <Button icon="trash" onClick={() => void discard(files.map(({ id }) => id))}>
          {files.length === 1 ? text.discard : text.discardAll}
        </Button>
      </div>
      {chosen.length > 0 && <AddDialog files={chosen} uploads={uploads} onClose={() => setAdding([])} />}
    </section>
  )
}

/** The service worker names it in the address of the page. */
function TakeFaultNotice() {
  const { off, many, full, failed } = useText(takeTexts).faults
  const faults = new Map([
    ['off', off],
    ['many', many(MAX_TAKEN_FILES)],
    ['full', full],
    ['failed', failed],
  ])
  const fault = faults.get(useRoute().query.get('taken') ?? '')
  if (fault === undefined) return null
  return (
    <div class="banner">
      <Notice tone="warn">{fault}</Notice>
    </div>
  )
}

interface TakenListProps {
  readonly files: readonly TakenFile[]
  readonly onDiscard: (id: string) => void
}

function TakenList({ files, onDiscard }: TakenListProps) {
  const text = useText(takeTexts)
  const format = useText(formats)
  return (
    <ul class="taken-list" aria-label={text.list}>
      {files.map(({ id, file: { name, size } }) => (
        <li key={id} class="row apart">
          <div class="grow">
            <div class="taken-name">
              <CutName name={visibleName(name) ?? text.unnamed} cutFrom={CUT_FROM} />
            </div>
            <div class="small soft">{format.bytes(size)}</div>
          </div>
          <IconButton
            icon="close"
            label={text.discardOf(spokenName(name, text.unnamed))}
            onClick={() => onDiscard(id)}
          />
        </li>
      ))}
    </ul>
  )
}

interface AddDialogProps {
  readonly uploads: TakenUploads
  readonly files: readonly TakenFile[]
  readonly onClose: () => void
}

function AddDialog({ files, uploads, onClose }: AddDialogProps) {
  const { owner } = useOwnerPages()
  const text = useText(takeTexts)
  const { value: albums, error, reload } = useLoaded(() => owner.albums())
  const add = async ({ albumId }: Pick<Album, 'albumId'>) => {
    const own = await chooseAlbumOf(
      files.map(({ id }) => id),
      albumId,
    )
    onClose()
    goTo(`albums/${albumId}`)
    for (const id of own) await uploadTaken(uploads, id)
  }
  return (
    <AskingDialog title={text.dialog(files.length)} closeLabel={text.close} onClose={onClose}>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {albums === undefined && error === undefined && <Progress label={text.dialog(files.length)} />}
      {albums !== undefined && (
        <AlbumForm albums={albums.toReversed()} submit={text.submit(files.length)} onClose={onClose} onChosen={add} />
      )}
    </AskingDialog>
  )
}
