import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Button, IconButton, Progress } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { ShareDialog } from '../shares/shareDialog.tsx'
import { RemoveDialog } from './removeDialog.tsx'
import { albumsText } from './texts.ts'
import { useAssetSaving } from './useAssetSaving.ts'

interface SelectionBarProps {
  readonly selected: readonly AssetFacts[]
  readonly onClear: () => void
  readonly onAll: () => void
  readonly isAll: boolean
  readonly onRemoved: (deleted: readonly AssetId[]) => void
}

/** The actions for the selected files, at the bottom, in reach of the thumb. */
export function SelectionBar({ selected, onClear, onAll, isAll, onRemoved }: SelectionBarProps) {
  const { owner, language, showMessage } = useOwnerPages()
  const text = albumsText(language)
  const [dialog, setDialog] = useState<'share' | 'remove'>()
  const saving = useAssetSaving()
  const assetIds = selected.map(({ assetId }) => assetId)

  async function save(): Promise<void> {
    try {
      const named = []
      for (const asset of selected) {
        const { name } = await owner.describeAsset(asset)
        named.push({ assetId: asset.assetId, name: name ?? text.album.unnamed })
      }
      await saving.save(named)
    } catch (error) {
      showMessage({ tone: 'bad', text: errorText(error, language) })
    }
  }

  return (
    <section class="card selection-bar" aria-label={text.selection.region}>
      <div class="row">
        <IconButton icon="close" label={text.selection.clear} onClick={onClear} />
        <strong role="status">{text.selection.count(selected.length)}</strong>
        {!isAll && (
          <Button kind="quiet" onClick={onAll}>
            {text.selection.all}
          </Button>
        )}
      </div>
      <div class="row">
        <Button icon="share" onClick={() => setDialog('share')}>
          {text.selection.share}
        </Button>
        <Button icon="download" busy={saving.now !== undefined} onClick={() => void save()}>
          {text.selection.download}
        </Button>
        <Button icon="trash" kind="danger" onClick={() => setDialog('remove')}>
          {text.selection.remove}
        </Button>
      </div>
      {saving.now !== undefined && (
        <div class="row selection-saving">
          <div class="grow">
            <Progress label={text.saving.progress(saving.now.name)} value={saving.now.share} />
          </div>
          <Button kind="quiet" onClick={saving.stop}>
            {text.saving.stop}
          </Button>
        </div>
      )}
      {dialog === 'share' && <ShareDialog assetIds={assetIds} onClose={() => setDialog(undefined)} />}
      {dialog === 'remove' && (
        <RemoveDialog assetIds={assetIds} onClose={() => setDialog(undefined)} onRemoved={onRemoved} />
      )}
    </section>
  )
}
