import type { Album, AssetFacts } from '@blindkeep/client/owner'
import type { AlbumId } from '@blindkeep/protocol/ids'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Notice, Progress } from '../../common/controls.tsx'
import { formats } from '../../common/format.ts'
import { useText } from '../../common/reader.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorTexts } from '../errorText.ts'
import { AlbumForm } from '../inbox/chooseAlbum.tsx'
import { LosingShares } from '../shares/showingShares.tsx'
import { byProtection } from './protection.ts'
import { albumName, albumsTexts } from './texts.ts'
import { useAlbums } from './useAlbumData.ts'

interface MoveDialogProps {
  /** Signed by devices that may sign. */
  readonly assets: readonly AssetFacts[]
  readonly onClose: () => void
  /** Called when some were moved, and the dialog closes. */
  readonly onMoved: () => void
}

/**
 * Moves files one after the other, except those that cannot be deleted where they are. It can be begun again after any
 * end: see `moveAsset`.
 */
export function MoveDialog({ assets: asked, onClose, onMoved }: MoveDialogProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts)
  const format = useText(formats)
  const errorText = useText(errorTexts)
  const albums = useAlbums()
  // Files that have moved leave the album behind the dialog.
  const [{ free: assets, kept }] = useState(() => byProtection(asked, owner.now()))
  const moving = useMoving(assets)
  const others = albums.value?.filter(({ albumId }) => assets.some((asset) => asset.albumId !== albumId))

  async function move(album: Pick<Album, 'albumId' | 'name'>): Promise<void> {
    const moved = await moving.run(album.albumId)
    if (moved === 0) return
    showMessage({
      tone: 'good',
      text: text.move.done(moved, albumName({ name: album.name, nameFault: undefined }, text)),
      link: { href: `#/albums/${album.albumId}`, text: text.move.toAlbum },
    })
    if (moved === assets.length) {
      onClose()
      onMoved()
    }
  }

  const stays = kept && <Notice tone="warn">{text.remove.retained(kept.count, format.instant(kept.until))}</Notice>
  if (assets.length === 0)
    return (
      <Dialog title={text.move.title(asked.length)} closeLabel={text.close} onClose={onClose}>
        {stays}
      </Dialog>
    )
  return (
    <Dialog
      title={text.move.title(assets.length)}
      closeLabel={text.close}
      onClose={moving.isBusy ? moving.stop : onClose}
    >
      {albums.error !== undefined && <ErrorNotice error={albums.error} onRetry={albums.reload} />}
      {stays}
      <p>{text.move.text(assets.length)}</p>
      <LosingShares assets={assets} />
      {moving.failed !== undefined && (
        <Notice tone="bad">{text.move.failed(moving.failed.count, errorText(moving.failed.reason))}</Notice>
      )}
      {moving.isBusy && (
        <>
          <Progress label={text.move.progress(moving.done, assets.length)} value={moving.share} />
          <div class="row">
            <Button onClick={moving.stop}>{text.saving.stop}</Button>
          </div>
        </>
      )}
      {!moving.isBusy && others !== undefined && (
        <AlbumForm
          albums={others}
          submit={text.move.confirm(assets.length)}
          onClose={onClose}
          onChosen={(album) => void move(album)}
        />
      )}
    </Dialog>
  )
}

interface Moving {
  readonly isBusy: boolean
  /** Files that were moved. */
  readonly done: number
  /** Between 0 and 1, of all. */
  readonly share: number
  readonly failed: { readonly count: number; readonly reason: unknown } | undefined
  /** Resolves with the number of files that are in the album. A failure does not stop the others. */
  run(album: AlbumId): Promise<number>
  stop(): void
}

function useMoving(assets: readonly AssetFacts[]): Moving {
  const { owner } = useOwnerPages()
  const device = useDevice()
  const [state, setState] = useState<Omit<Moving, 'run' | 'stop'>>({
    isBusy: false,
    done: 0,
    share: 0,
    failed: undefined,
  })
  const running = useRef<AbortController>(undefined)
  const moved = useRef(new Set<string>())
  const stop = () => running.current?.abort()
  useCloseGuard(state.isBusy)
  useEffect(() => stop, [])

  async function run(album: AlbumId): Promise<number> {
    const stopping = new AbortController()
    running.current = stopping
    const { signal } = stopping
    let failed: Moving['failed']
    const show = (part: number, isBusy = true) => {
      const done = moved.current.size
      setState({ isBusy, done, share: (done + part) / assets.length, failed })
    }
    show(0)
    for (const { assetId } of assets) {
      if (moved.current.has(assetId)) continue
      if (signal.aborted) break
      try {
        const onProgress = ({ bytes, of }: { readonly bytes: number; readonly of: number }) =>
          show(of === 0 ? 0 : bytes / of)
        await owner.moveAsset({ assetId, album, device: await device(), onProgress, signal })
        moved.current.add(assetId)
      } catch (reason) {
        if (!signal.aborted) failed = { count: (failed?.count ?? 0) + 1, reason: failed?.reason ?? reason }
      }
      show(0)
    }
    show(0, false)
    return moved.current.size
  }

  return { ...state, run, stop }
}
