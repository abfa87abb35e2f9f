import { finderOf } from '@blindkeep/client/find'
import type { Album, AssetFacts } from '@blindkeep/client/owner'
import { useMemo, useRef, useState } from 'preact/hooks'
import { Button, Field, Name } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useInView } from '../../common/drawing/useInView.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { newestByAlbum, newestFirst } from '../assets/assetFeed.ts'
import { albumName } from '../assets/assetNames.ts'
import { hasThumbnail } from '../assets/thumbnails.ts'
import { useAlbums, useAssets } from '../assets/useAssets.ts'
import { useFoundAssets } from '../assets/useFoundAssets.ts'
import { useTile } from '../assets/useTile.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { FindBar } from '../find/findBar.tsx'
import { type FindState, filtersIn, isFiltered, useFinding } from '../find/findState.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { goTo } from '../ground/route.ts'
import { albumsTexts, findTexts } from '../ground/texts.ts'
import { Selectable } from './albumPage.tsx'

export function AlbumList() {
  const text = useText(albumsTexts)
  const findText = useText(findTexts)
  const albums = useAlbums()
  const assets = useAssets()
  const byAlbum = useMemo(() => assets.value && newestByAlbum(assets.value), [assets.value])
  const [isCreating, setCreating] = useState(false)
  const finding = useFinding()
  const isOn = isFiltered(finding.state)
  const all = useMemo(() => newestFirst([...(assets.value?.values() ?? [])]), [assets.value])
  const { shown: files, reading } = useFoundAssets({ assets: all, state: finding.state })
  const named = albumsNamed(albums.value ?? [], finding.state)
  const error = albums.error ?? assets.error
  const retry = () => {
    albums.reload()
    assets.reload()
  }
  return (
    <div class="stack">
      <div class="row apart">
        <h1 tabIndex={-1}>{text.title}</h1>
        <Button kind="primary" icon="add" onClick={() => setCreating(true)}>
          {text.create.open}
        </Button>
      </div>
      <p class="soft">{text.intro}</p>
      {error !== undefined && <ErrorNotice error={error} onRetry={retry} />}
      {albums.value === undefined && albums.error === undefined && (
        <p class="row soft" role="status">
          <span class="spinner" aria-hidden="true" />
          {text.loading}
        </p>
      )}
      {albums.value?.length === 0 && (
        <div class="card stack empty">
          <Icon name="album" />
          <h2>{text.none.title}</h2>
          <p class="soft">{text.none.text}</p>
        </div>
      )}
      {albums.value !== undefined && albums.value.length > 0 && (
        <FindBar
          {...finding}
          {...{ reading }}
          what="albums"
          filters="files"
          shown={named.length + (isOn ? files.length : 0)}
          of={albums.value.length + all.length}
        />
      )}
      <ul class="album-grid">
        {named.map((album) => (
          <AlbumCard key={album.albumId} album={album} assets={byAlbum && (byAlbum.get(album.albumId) ?? [])} />
        ))}
      </ul>
      {isOn && files.length > 0 && (
        <>
          <h2>{findText.albumFiles}</h2>
          <Selectable assets={files} title={findText.albumFiles} />
        </>
      )}
      {isCreating && <CreateAlbum onClose={() => setCreating(false)} />}
    </div>
  )
}

/** The filters behind the button are about files. */
function albumsNamed(albums: readonly Album[], state: FindState): readonly Album[] {
  if (filtersIn(state) > 0) return []
  const isFound = finderOf({ words: state.words })
  return albums.filter((album) => isFound({ file: { name: album.name }, size: 0, at: album.createdAt }))
}

interface AlbumCardProps {
  readonly album: Album
  /** Undefined while they are loaded. */
  readonly assets: readonly AssetFacts[] | undefined
}

function AlbumCard({ album, assets }: AlbumCardProps) {
  const text = useText(albumsTexts)
  const cover = assets?.find(hasThumbnail)
  return (
    <li>
      <a class="album-card" href={`#/albums/${album.albumId}`}>
        <span class="cover">{cover === undefined ? <Icon name="album" /> : <Cover asset={cover} />}</span>
        <span class="album-words">
          <span class="album-name">
            <Name>{albumName(album, text)}</Name>
          </span>
          <span class="small soft">{assets === undefined ? '…' : text.files(assets.length)}</span>
        </span>
      </a>
    </li>
  )
}

function Cover({ asset }: { readonly asset: AssetFacts }) {
  const place = useRef<HTMLSpanElement>(null)
  const content = useTile(asset, useInView(place))
  return (
    <span ref={place} class="cover-picture">
      {content?.pictureUrl === undefined ? <Icon name="album" /> : <img src={content.pictureUrl} alt="" />}
    </span>
  )
}

function CreateAlbum({ onClose }: { readonly onClose: () => void }) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts)
  const [isMissing, setMissing] = useState(false)
  const { isBusy, error, run } = useAction()
  async function create(name: string): Promise<void> {
    setMissing(name === '')
    if (name === '') return
    await run(async () => {
      const { albumId } = await owner.createAlbum({ name })
      showMessage({ tone: 'good', text: text.create.done })
      goTo(`albums/${albumId}`)
    })
  }
  return (
    <AskingDialog title={text.create.title} closeLabel={text.close} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create(String(new FormData(event.currentTarget).get('name')).trim())
        }}
      >
        <Field label={text.create.name} hint={text.create.hint} fault={isMissing ? text.create.nameMissing : undefined}>
          {(input) => <input {...input} name="name" maxLength={200} autocomplete="off" />}
        </Field>
        {error !== undefined && <ErrorNotice error={error} />}
        <FormButtons submit={text.create.submit} isBusy={isBusy} onCancel={onClose} />
      </form>
    </AskingDialog>
  )
}
