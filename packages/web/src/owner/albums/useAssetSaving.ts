import { useCloseGuard } from '../../common/closeGuard.ts'
import type { FileToSave, Saving } from '../../common/useSaving.ts'
import { useSaving } from '../../common/useSaving.ts'
import { useOwnerPages } from '../context.ts'
import { errorText } from '../errorText.ts'
import { type ConsentedAsset, isGone } from './shownAsset.ts'
import { albumsText, shownName } from './texts.ts'

interface AssetSaving extends Pick<Saving, 'now' | 'stop'> {
  /** Call it synchronously in the click's handler. Shows the result itself; `onGone` is called when a file is no longer the one that was shown. */
  save(assets: readonly ConsentedAsset[]): Promise<void>
}

export function useAssetSaving({ onGone }: { readonly onGone?: () => void } = {}): AssetSaving {
  const { owner, language, showMessage } = useOwnerPages()
  const { now, save, stop } = useSaving()
  useCloseGuard(now !== undefined)
  const fileOf = (shown: ConsentedAsset): FileToSave => ({
    name: shownName(shown, language),
    open: (signal) => owner.openAsset(shown.asset, { ...shown.permissions, signal }),
  })
  return {
    now,
    stop,
    async save(assets) {
      try {
        const saved = await save(assets.map(fileOf))
        if (saved > 0) showMessage({ tone: 'good', text: albumsText(language).saving.done(saved) })
      } catch (error) {
        if (isGone(error)) onGone?.()
        showMessage({
          tone: 'bad',
          text: isGone(error) ? albumsText(language).trust.changed : errorText(error, language),
        })
      }
    },
  }
}
