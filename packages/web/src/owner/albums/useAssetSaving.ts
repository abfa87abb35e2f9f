import type { AssetId } from '@blindkeep/protocol/ids'
import { useCloseGuard } from '../../common/closeGuard.ts'
import type { FileToSave, Saving } from '../../common/useSaving.ts'
import { useSaving } from '../../common/useSaving.ts'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { albumsText } from './texts.ts'

interface AssetSaving extends Pick<Saving, 'now' | 'stop'> {
  /** Call it synchronously in the click's handler. Shows the result itself. */
  save(assets: readonly { readonly assetId: AssetId; readonly name: string }[]): Promise<void>
}

export function useAssetSaving(): AssetSaving {
  const { owner, language, showMessage } = useOwnerPages()
  const { now, save, stop } = useSaving()
  useCloseGuard(now !== undefined)
  const fileOf = ({ assetId, name }: { readonly assetId: AssetId; readonly name: string }): FileToSave => ({
    name,
    open: (signal) => owner.openAsset(assetId, { signal }),
  })
  return {
    now,
    stop,
    async save(assets) {
      try {
        const saved = await save(assets.map(fileOf))
        if (saved > 0) showMessage({ tone: 'good', text: albumsText(language).saving.done(saved) })
      } catch (error) {
        showMessage({ tone: 'bad', text: errorText(error, language) })
      }
    },
  }
}
