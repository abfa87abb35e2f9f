import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { type AssetId, parseAlbumId } from '@blindkeep/protocol/ids'
import type { JSX } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button, Name } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useFileInput } from '../../common/files/fileInput.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { newestByAlbum } from '../assets/assetFeed.ts'
import { albumName } from '../assets/assetNames.ts'
import { useAlbums, useAssets } from '../assets/useAssets.ts'
import { useFoundAssets } from '../assets/useFoundAssets.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { More } from '../dialogs/moreButtons.tsx'
import { NameDialog } from '../dialogs/nameDialog.tsx'
import { FindBar } from '../find/findBar.tsx'
import { useFinding } from '../find/findState.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { KeysHelp } from '../keys/keysHelp.tsx'
import { useKeys, useListKeys } from '../keys/listKeys.ts'
import { ShowingAlbum } from '../shares/showingShares.tsx'
import { useLookAtShares } from '../shares/useFollowedShares.ts'
import type { UploadItem } from '../uploads/uploadItem.ts'
import type { UploadQueue } from '../uploads/uploadQueue.ts'
import { useUploads } from '../uploads/uploads.ts'
import { NotAdded, useAdding } from './adding.tsx'
import { AssetGrid } from './assetGrid.tsx'
import { DeleteAlbum } from './deleteAlbum.tsx'
import { DownloadAlbum } from './downloadAlbum.tsx'
import { Incomplete } from './incomplete.tsx'
import { SelectionBar } from './selectionBar.tsx'
import { ShareAlbum } from './shareAlbum.tsx'
import { MakeThumbnails } from './thumbnailsOfAlbum.tsx'
import { UploadPanel } from './uploadPanel.tsx'

interface AlbumPageProps {
  readonly albumId: string
}

export function AlbumPage({ albumId: wanted }: AlbumPageProps) {
  const text = useText(albumsTexts)
  const format = useText(formats)
  const albums = useAlbums()
  const loaded = useAssets()
  const assets = useMemo(() => loaded.value && (newestByAlbum(loaded.value).get(wanted) ?? []), [loaded.value, wanted])
  const album = albums.value?.find(({ albumId }) => albumId === wanted)
  const albumId = parseAlbumId(wanted)
  const error = albums.error ?? loaded.error
  useLookAtShares()
  const { queue, items, signal } = useUploads()
  const { add, ...notAdded } = useAdding(albumId, { queue, signal })
  const isMissing = albumId === undefined || (albums.value !== undefined && album === undefined)
  return (
    <div class="stack album-page">
      <div>
        <a class="row album-back" href="#/albums">
          <Icon name="back" />
          {text.back}
        </a>
      </div>
      <div class="row apart">
        <div>
          <h1 tabIndex={-1}>{album === undefined ? text.title : <Name>{albumName(album, text)}</Name>}</h1>
          {assets !== undefined && assets.length > 0 && (
            <>
              <p class="soft">{text.filesOf(text.files(assets.length), format.bytes(bytesOf(assets)))}</p>
              <ShowingAlbum albumId={wanted} assets={assets} />
            </>
          )}
        </div>
        {!isMissing && (
          <div class="row album-actions">
            {album !== undefined && (
              <More of={albumName(album, text)}>
                <RenameAlbum album={album} onRenamed={albums.reload} />
                {assets !== undefined && <MakeThumbnails assets={assets} />}
                {assets !== undefined && assets.length > 0 && (
                  <DownloadAlbum name={albumName(album, text)} assets={assets} />
                )}
                {assets?.some(({ complete }) => complete) && <ShareAlbum albumId={album.albumId} assets={assets} />}
                {assets !== undefined && <DeleteAlbum album={album} assets={assets} bytes={bytesOf(assets)} />}
              </More>
            )}
            <AddFiles label={text.album.add} onFiles={add} />
          </div>
        )}
      </div>
      {error !== undefined && (
        <ErrorNotice
          error={error}
          onRetry={() => {
            albums.reload()
            loaded.reload()
          }}
        />
      )}
      {isMissing ? (
        <p>{text.notFound}</p>
      ) : (
        <Contents
          assets={assets}
          isFailed={error !== undefined}
          title={album === undefined ? text.title : albumName(album, text)}
          queue={queue}
          uploads={items.filter((item) => item.albumId === albumId)}
          notAdded={<NotAdded {...notAdded} />}
          onFiles={add}
        />
      )}
    </div>
  )
}

function bytesOf(assets: readonly AssetFacts[]): number {
  return assets.reduce((sum, { envelope }) => sum + envelope.plaintext_size, 0)
}

interface ContentsProps {
  /** Undefined while they are loaded. */
  readonly assets: readonly AssetFacts[] | undefined
  readonly isFailed: boolean
  /** The name of the album. */
  readonly title: string
  readonly queue: UploadQueue<File>
  /** The uploads of this album. */
  readonly uploads: readonly UploadItem[]
  readonly notAdded: JSX.Element
  readonly onFiles: (files: readonly File[]) => void
}

function Contents({ assets, isFailed, title, queue, uploads, notAdded, onFiles }: ContentsProps) {
  const text = useText(albumsTexts)
  const [isOver, setOver] = useState(false)
  useEffect(keepPageOnDrop, [])
  // The queue itself finishes what it has the file of. What it has just finished, the list may not show as
  // complete yet.
  const uploading = new Set(uploads.filter(({ phase }) => phase !== 'file_missing').map(({ assetId }) => assetId))
  const incomplete = (assets ?? []).filter(({ complete, assetId }) => !complete && !uploading.has(assetId))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button works for everyone
    <div
      class={`stack drop-place ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files') !== true) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        const { relatedTarget } = event
        if (!(relatedTarget instanceof Node && event.currentTarget.contains(relatedTarget))) setOver(false)
      }}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onFiles([...(event.dataTransfer?.files ?? [])])
      }}
    >
      {isOver && <p class="drop-hint">{text.album.drop}</p>}
      {notAdded}
      {uploads.length > 0 && <UploadPanel queue={queue} items={uploads} />}
      {incomplete.length > 0 && <Incomplete assets={incomplete} />}
      {assets === undefined && !isFailed && (
        <p class="row soft" role="status">
          <span class="spinner" aria-hidden="true" />
          {text.album.loading}
        </p>
      )}
      {assets?.length === 0 && uploads.length === 0 && (
        <div class="card stack empty">
          <Icon name="image" />
          <h2>{text.album.empty}</h2>
          <p class="soft">{text.album.emptyText}</p>
        </div>
      )}
      {assets !== undefined && assets.length > 0 && <Findable assets={assets} title={title} />}
    </div>
  )
}

/** Otherwise the browser would open a file that is dropped beside the album, instead of the page. */
function keepPageOnDrop(): () => void {
  const keep = (event: DragEvent) => event.preventDefault()
  addEventListener('dragover', keep)
  addEventListener('drop', keep)
  return () => {
    removeEventListener('dragover', keep)
    removeEventListener('drop', keep)
  }
}

interface RenameAlbumProps {
  readonly album: Album
  readonly onRenamed: () => void
}

function RenameAlbum({ album, onRenamed }: RenameAlbumProps) {
  const { owner } = useOwnerPages()
  const albumsText = useText(albumsTexts)
  const text = albumsText.album
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {text.rename}
      </Button>
      {isOpen && (
        <NameDialog
          title={text.renameTitle(albumName(album, albumsText))}
          name={album.name}
          save={(name) => owner.nameAlbum(album.albumId, name)}
          onClose={() => setOpen(false)}
          onSaved={onRenamed}
        />
      )}
    </>
  )
}

interface AddFilesProps {
  readonly label: string
  readonly onFiles: (files: readonly File[]) => void
}

function AddFiles({ label, onFiles }: AddFilesProps) {
  const { input, open } = useFileInput({ label, onFiles, class: 'add-files' })
  return (
    <div>
      {input}
      <Button kind="primary" icon="upload" onClick={open}>
        {label}
      </Button>
    </div>
  )
}

const ORDERS = ['newest', 'oldest', 'name', 'sender', 'largest', 'smallest'] as const

function Findable({ assets, title }: SelectableProps) {
  const finding = useFinding()
  const { shown, reading } = useFoundAssets({ assets, state: finding.state })
  return (
    <>
      <FindBar
        {...finding}
        {...{ reading }}
        what="files"
        filters="files"
        orders={ORDERS}
        shown={shown.length}
        of={assets.length}
      />
      {shown.length > 0 && <Selectable assets={shown} title={title} />}
    </>
  )
}

interface SelectableProps extends Pick<ContentsProps, 'title'> {
  readonly assets: readonly AssetFacts[]
}

/** Tiles to choose from. Only those that are shown can be chosen. */
export function Selectable({ assets, title }: SelectableProps) {
  const text = useText(albumsTexts)
  const [selected, setSelected] = useState<ReadonlySet<AssetId>>(new Set())
  const present = assets.filter(({ assetId }) => selected.has(assetId))
  const deselect = (removed: readonly AssetId[]) =>
    setSelected((last) => new Set([...last].filter((id) => !removed.includes(id))))
  const select = useCallback((assetId: AssetId, isSelected: boolean) => {
    if (isSelected) setSelected((last) => new Set([...last, assetId]))
    else deselect([assetId])
  }, [])
  const part = useRef<HTMLDivElement>(null)
  useListKeys(part)
  const keys = useKeys()
  const isAll = present.length === assets.length
  return (
    <div class="stack" ref={part}>
      <div class="row apart" data-bar>
        <Button
          kind="quiet"
          keys={keys('A')}
          onClick={() => setSelected(new Set(isAll ? [] : assets.map(({ assetId }) => assetId)))}
        >
          {isAll ? text.selection.clear : text.selection.all}
        </Button>
        <KeysHelp of="album" />
      </div>
      <AssetGrid assets={assets} label={text.files(assets.length)} selected={selected} onSelect={select} />
      {present.length > 0 && (
        <SelectionBar
          albumName={title}
          selected={present}
          onClear={() => setSelected(new Set())}
          onRemoved={(removed) => {
            deselect(removed)
            // The focused button is removed.
            document.querySelector('h1')?.focus()
          }}
        />
      )}
    </div>
  )
}
