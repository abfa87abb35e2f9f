import type { AssetFacts } from '@blindkeep/client/owner'
import { useRef, useState } from 'preact/hooks'
import { Button, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useInView } from '../../common/drawing/useInView.ts'
import { useText } from '../../common/language/reader.ts'
import { FileKind } from '../../common/names/fileKind.tsx'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { whyNoPreview } from '../../preview/mayHavePreview.ts'
import { NoPreview, Preview } from '../../preview/previewPane.tsx'
import { shownName } from '../assets/assetNames.ts'
import { type ConsentedAsset, fileKey, isGone, type ShownAsset, showAsset } from '../assets/shownAsset.ts'
import { withThumbnail } from '../assets/thumbnails.ts'
import { useTrustReason } from '../assets/trustBadge.tsx'
import { useAssets } from '../assets/useAssets.ts'
import { useTile } from '../assets/useTile.ts'
import { useDevice } from '../browser/device.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { More } from '../dialogs/moreButtons.tsx'
import { NameDialog } from '../dialogs/nameDialog.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { goTo } from '../ground/route.ts'
import { albumsTexts } from '../ground/texts.ts'
import { ShareDialog } from '../shares/shareDialog.tsx'
import { AssetFactList } from './assetFacts.tsx'
import { useConsent } from './consent.tsx'
import { Incomplete } from './incomplete.tsx'
import { MoveDialog } from './moveDialog.tsx'
import { ProtectDialog } from './protectDialog.tsx'
import { RemoveDialog } from './removeDialog.tsx'
import { useAssetSaving } from './useAssetSaving.ts'

interface AssetPageProps {
  readonly albumId: string
  readonly assetId: string
}

export function AssetPage({ albumId, assetId }: AssetPageProps) {
  const albumsText = useText(albumsTexts)
  const text = albumsText.asset
  const assets = useAssets()
  const asset = [...(assets.value?.values() ?? [])].find((one) => one.assetId === assetId)
  return (
    <div class="stack asset-page">
      <div>
        <a class="row album-back" href={`#/albums/${albumId}`}>
          <Icon name="back" />
          {text.back}
        </a>
      </div>
      {asset === undefined ? (
        <>
          <h1 tabIndex={-1}>{albumsText.title}</h1>
          {assets.error !== undefined && <ErrorNotice error={assets.error} onRetry={assets.reload} />}
          {assets.value !== undefined && <p>{text.notFound}</p>}
          {assets.value === undefined && assets.error === undefined && (
            <p class="row soft" role="status">
              <span class="spinner" aria-hidden="true" />
              {text.loading}
            </p>
          )}
        </>
      ) : (
        <AssetView asset={asset} onReload={assets.reload} />
      )}
    </div>
  )
}

interface AssetViewProps {
  readonly asset: AssetFacts
  readonly onReload: () => void
}

function AssetView({ asset, onReload }: AssetViewProps) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts)
  const file = fileKey(asset)
  const loaded = useLoaded((signal) => showAsset(owner, asset, signal), file)
  const [goneFile, setGone] = useState<string>()
  const [round, setRound] = useState(0)
  const shown = loaded.value
  const reload = () => {
    setGone(undefined)
    setRound(round + 1)
    loaded.reload()
    onReload()
  }
  const parts = { shown, asset, onGone: () => setGone(file) }
  return (
    <>
      <div class="row apart">
        <h1 tabIndex={-1}>
          {shown !== undefined && <Name>{shownName(shown, text)}</Name>}
          {shown === undefined && (loaded.error === undefined ? text.asset.loading : text.asset.fault)}
        </h1>
        <RenameFile shown={shown} />
      </div>
      {!asset.complete && <Incomplete assets={[asset]} />}
      {shown !== undefined && <TrustNotice shown={shown} />}
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} onRetry={reload} />}
      {goneFile === file && <GoneNotice onReload={reload} />}
      <AssetPreview {...parts} key={`preview ${round} ${file}`} />
      <AssetActions {...parts} onProtected={onReload} key={`actions ${round} ${file}`} />
      {shown !== undefined && <AssetFactList shown={shown} present={asset} />}
    </>
  )
}

function TrustNotice({ shown: { trust } }: { readonly shown: ShownAsset }) {
  const text = useText(albumsTexts)
  const reason = useTrustReason(trust)
  if (reason === undefined) return null
  const isUnsigned = trust.kind === 'unsigned'
  return (
    <Notice tone="warn">
      <p>
        <span class="badge warn">{isUnsigned ? text.trust.unsigned : text.trust.revoked}</span>
      </p>
      <p>
        <strong>{reason}</strong>
      </p>
      <p class="small">{isUnsigned ? text.consent.unsignedMeaning(1) : text.consent.revokedMeaning(1)}</p>
    </Notice>
  )
}

function GoneNotice({ onReload }: { readonly onReload: () => void }) {
  const text = useText(albumsTexts).trust
  return (
    <Notice tone="bad">
      <p>{text.changed}</p>
      <div>
        <Button icon="retry" onClick={onReload}>
          {text.reload}
        </Button>
      </div>
    </Notice>
  )
}

interface PartProps {
  /** Undefined until the signature was checked: before, nothing can be done with the file. */
  readonly shown: ShownAsset | undefined
  readonly asset: AssetFacts
  /** Called when the server no longer has the file that is shown. */
  readonly onGone: () => void
}

/** Shows the thumbnail, and the file itself when the owner asks for it. */
function AssetPreview({ shown, asset, onGone }: PartProps) {
  const { owner } = useOwnerPages()
  const albumsText = useText(albumsTexts)
  const text = albumsText.asset
  const errorText = useText(errorTexts)
  const [opened, setOpened] = useState<ConsentedAsset>()
  const consent = useConsent()
  const place = useRef<HTMLDivElement>(null)
  const tile = useTile(asset, useInView(place))
  const description = shown?.description
  const why = description && whyNoPreview(description)
  const toggle = () => {
    if (opened !== undefined) setOpened(undefined)
    else if (shown !== undefined) consent.ask('preview', [shown], ([consented]) => setOpened(consented))
  }
  return (
    <div ref={place} class="card stack look">
      {opened === undefined ? (
        <div class="look-small">
          {tile?.pictureUrl === undefined ? (
            <FileKind name={description?.name} type={description?.type} />
          ) : (
            <img src={tile.pictureUrl} alt="" />
          )}
        </div>
      ) : (
        <Preview
          open={async (signal) => {
            const { content, size } = await owner.openAsset(opened.asset, { ...opened.permissions, signal })
            return { content: withThumbnail(content, { owner, shown: opened }), size }
          }}
          name={shownName(opened, albumsText)}
          explain={(error) => {
            if (!isGone(error)) return errorText(error)
            onGone()
            return albumsText.trust.changed
          }}
        />
      )}
      {why !== undefined ? (
        <NoPreview why={why} />
      ) : (
        <div class="row">
          <Button icon="eye" disabled={shown === undefined} onClick={toggle}>
            {opened === undefined ? text.show : text.hide}
          </Button>
          {opened === undefined && <span class="small soft">{text.showHint}</span>}
        </div>
      )}
      {consent.dialog}
    </div>
  )
}

function AssetActions({ shown, asset, onGone, onProtected }: PartProps & { readonly onProtected: () => void }) {
  const text = useText(albumsTexts)
  const [isRemoving, setRemoving] = useState(false)
  const [isProtecting, setProtecting] = useState(false)
  const [isMoving, setMoving] = useState(false)
  const [sharing, setSharing] = useState<readonly ConsentedAsset[]>()
  const consent = useConsent()
  const saving = useAssetSaving({ onGone })
  const save = () => shown && consent.ask('download', [shown], saving.save)
  return (
    <div class="stack tight">
      <div class="row">
        <Button
          kind="primary"
          icon="download"
          disabled={shown === undefined}
          busy={saving.now !== undefined}
          onClick={save}
        >
          {saving.now === undefined ? text.asset.download : text.asset.downloading}
        </Button>
        {shown !== undefined && shown.trust.kind !== 'unsigned' && (
          <Button icon="share" onClick={() => consent.ask('share', [shown], setSharing)}>
            {text.asset.share}
          </Button>
        )}
        <More of={shown === undefined ? text.title : shownName(shown, text)}>
          {shown !== undefined && shown.trust.kind !== 'unsigned' && (
            <Button icon="shield" onClick={() => setProtecting(true)}>
              {text.asset.protect}
            </Button>
          )}
          {shown?.trust.kind === 'signed' && (
            <Button icon="album" onClick={() => setMoving(true)}>
              {text.move.short}
            </Button>
          )}
          <Button kind="danger" icon="trash" onClick={() => setRemoving(true)}>
            {text.asset.remove}
          </Button>
        </More>
      </div>
      {saving.now !== undefined && (
        <div class="row">
          <div class="grow">
            <Progress label={text.saving.progress(saving.now.name)} value={saving.now.share} />
          </div>
          <Button kind="quiet" onClick={saving.stop}>
            {text.asset.stop}
          </Button>
        </div>
      )}
      {consent.dialog}
      {sharing !== undefined && <ShareDialog assets={sharing} onClose={() => setSharing(undefined)} />}
      {isProtecting && <ProtectDialog asset={asset} onClose={() => setProtecting(false)} onProtected={onProtected} />}
      {isMoving && (
        <MoveDialog assets={[asset]} onClose={() => setMoving(false)} onMoved={() => goTo(`albums/${asset.albumId}`)} />
      )}
      {isRemoving && (
        <RemoveDialog
          assets={[asset]}
          onClose={() => setRemoving(false)}
          onRemoved={() => goTo(`albums/${asset.albumId}`)}
        />
      )}
    </div>
  )
}

/**
 * Not of what a revoked device has signed: the new signature would vouch for it. The button stays while the new name is
 * read, because it has the focus.
 */
function RenameFile({ shown }: Pick<PartProps, 'shown'>) {
  const { owner } = useOwnerPages()
  const device = useDevice()
  const albumsText = useText(albumsTexts)
  const text = albumsText.asset
  const [isOpen, setOpen] = useState(false)
  const last = useRef<ShownAsset>(undefined)
  last.current = shown ?? last.current
  if (last.current?.trust.kind !== 'signed') return null
  const { asset, description } = last.current
  return (
    <div>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {albumsText.album.rename}
      </Button>
      {isOpen && (
        <NameDialog
          title={albumsText.album.renameTitle(shownName(last.current, albumsText))}
          name={description?.name}
          required={{ hint: text.nameHint, missing: text.nameMissing }}
          save={async (name) => owner.renameAsset(asset.assetId, { name, device: await device() })}
          onClose={() => setOpen(false)}
          onSaved={() => undefined}
        />
      )}
    </div>
  )
}
