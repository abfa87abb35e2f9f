import type { AssetDescription, AssetFacts } from '@blindkeep/client/owner'
import { useRef, useState } from 'preact/hooks'
import { Button, Name, Progress } from '../../common/controls.tsx'
import { FileKind } from '../../common/fileKind.tsx'
import { Icon } from '../../common/icons.tsx'
import type { Language } from '../../common/language.ts'
import { Preview } from '../../common/preview.tsx'
import { useInView } from '../../common/useInView.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { errorText } from '../errorText.ts'
import { goTo } from '../route.ts'
import { ShareDialog } from '../shares/shareDialog.tsx'
import { AssetFactList } from './assetFacts.tsx'
import { Incomplete } from './incomplete.tsx'
import { RemoveDialog } from './removeDialog.tsx'
import { albumsText } from './texts.ts'
import { withThumbnail } from './thumbnails.ts'
import { useAssets } from './useAlbumData.ts'
import { useAssetSaving } from './useAssetSaving.ts'
import { useTile } from './useTile.ts'

interface AssetPageProps {
  readonly albumId: string
  readonly assetId: string
}

export function AssetPage({ albumId, assetId }: AssetPageProps) {
  const { language } = useOwnerPages()
  const text = albumsText(language).asset
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
          <h1 tabIndex={-1}>{albumsText(language).title}</h1>
          {assets.error !== undefined && (
            <ErrorNotice error={assets.error} language={language} onRetry={assets.reload} />
          )}
          {assets.value !== undefined && <p>{text.notFound}</p>}
          {assets.value === undefined && assets.error === undefined && (
            <p class="row soft" role="status">
              <span class="spinner" aria-hidden="true" />
              {text.loading}
            </p>
          )}
        </>
      ) : (
        <AssetView asset={asset} />
      )}
    </div>
  )
}

function AssetView({ asset }: { readonly asset: AssetFacts }) {
  const { owner, language } = useOwnerPages()
  const text = albumsText(language)
  const { assetId, albumId } = asset
  const described = useLoaded((signal) => owner.describeAsset(asset, { signal }), asset.changedAt)
  const name = displayName(described.value, language)
  return (
    <>
      <h1 tabIndex={-1}>{name === undefined ? text.asset.loading : <Name>{name}</Name>}</h1>
      {!asset.complete && <Incomplete assets={[asset]} />}
      {described.error !== undefined && (
        <ErrorNotice error={described.error} language={language} onRetry={described.reload} />
      )}
      <AssetPreview asset={asset} description={described.value} name={name ?? text.album.unnamed} />
      <AssetActions
        asset={asset}
        name={name ?? text.album.unnamed}
        onRemoved={() => goTo(`albums/${albumId}`)}
        key={assetId}
      />
      <AssetFactList asset={asset} description={described.value} />
    </>
  )
}

function displayName(description: AssetDescription | undefined, language: Language): string | undefined {
  if (description === undefined) return undefined
  const { name } = description
  return name === undefined || name.trim() === '' ? albumsText(language).album.unnamed : name
}

interface AssetPreviewProps {
  readonly asset: AssetFacts
  readonly description: AssetDescription | undefined
  readonly name: string
}

/** Shows the thumbnail, and the file itself when the owner asks for it. */
function AssetPreview({ asset, description, name }: AssetPreviewProps) {
  const { owner, language } = useOwnerPages()
  const text = albumsText(language).asset
  const [isShown, setShown] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const tile = useTile(asset, useInView(place))
  return (
    <div ref={place} class="card stack look">
      {isShown ? (
        <Preview
          open={async (signal) => {
            const { content, size } = await owner.openAsset(asset.assetId, { signal })
            return { content: withThumbnail(content, { owner, asset }), size }
          }}
          name={name}
          language={language}
          explain={(error) => errorText(error, language)}
        />
      ) : (
        <div class="look-small">
          {tile?.pictureUrl === undefined ? (
            <FileKind name={description?.name} type={description?.type} />
          ) : (
            <img src={tile.pictureUrl} alt="" />
          )}
        </div>
      )}
      <div class="row">
        <Button icon="eye" onClick={() => setShown(!isShown)}>
          {isShown ? text.hide : text.show}
        </Button>
        {!isShown && <span class="small soft">{text.showHint}</span>}
      </div>
    </div>
  )
}

interface AssetActionsProps {
  readonly asset: AssetFacts
  readonly name: string
  readonly onRemoved: () => void
}

function AssetActions({ asset: { assetId, complete }, name, onRemoved }: AssetActionsProps) {
  const { language } = useOwnerPages()
  const text = albumsText(language)
  const [dialog, setDialog] = useState<'share' | 'remove'>()
  const saving = useAssetSaving()
  const close = () => setDialog(undefined)
  return (
    <div class="stack tight">
      <div class="row">
        <Button
          kind="primary"
          icon="download"
          busy={saving.now !== undefined}
          onClick={() => void saving.save([{ assetId, name }])}
        >
          {saving.now === undefined ? text.asset.download : text.asset.downloading}
        </Button>
        {complete && (
          <Button icon="share" onClick={() => setDialog('share')}>
            {text.asset.share}
          </Button>
        )}
        <Button kind="danger" icon="trash" onClick={() => setDialog('remove')}>
          {text.asset.remove}
        </Button>
      </div>
      {saving.now !== undefined && (
        <div class="row">
          <div class="grow">
            <Progress label={text.saving.progress(name)} value={saving.now.share} />
          </div>
          <Button kind="quiet" onClick={saving.stop}>
            {text.asset.stop}
          </Button>
        </div>
      )}
      {dialog === 'share' && <ShareDialog assetIds={[assetId]} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog assetIds={[assetId]} onClose={close} onRemoved={onRemoved} />}
    </div>
  )
}
