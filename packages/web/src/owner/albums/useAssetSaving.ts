import { zipOf } from '@blindkeep/client/zip'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { useText } from '../../common/reader.ts'
import type { FileToSave, Saving } from '../../common/useSaving.ts'
import { useSaving } from '../../common/useSaving.ts'
import { useOwnerPages } from '../context.ts'
import { errorTexts } from '../errorText.ts'
import { type ConsentedAsset, isGone } from './shownAsset.ts'
import { albumsTexts, shownName } from './texts.ts'

interface AssetSaving extends Pick<Saving, 'now' | 'stop'> {
  /**
   * Several files become one ZIP. Call it synchronously in the click's handler. It shows the result.
   * `onGone`: a file is no longer the one that was shown.
   */
  save(assets: readonly ConsentedAsset[]): Promise<void>
}

interface AssetSavingOptions {
  /** Names a ZIP, with the number of its files. */
  readonly albumName?: string | undefined
  readonly onGone?: () => void
}

export function useAssetSaving({ albumName, onGone }: AssetSavingOptions = {}): AssetSaving {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(albumsTexts)
  const errorText = useText(errorTexts)
  const { now, save, stop } = useSaving()
  useCloseGuard(now !== undefined)
  const fileOf = (shown: ConsentedAsset): FileToSave => ({
    name: shownName(shown, text),
    open: (signal) => owner.openAsset(shown.asset, { ...shown.permissions, signal }),
  })
  const zipOfAll = (assets: readonly ConsentedAsset[]): FileToSave => ({
    // `Holidays, 3 files.zip`
    name: `${[albumName, text.saving.zip(assets.length)].filter((part) => part !== undefined).join(', ')}.zip`,
    open: (signal) =>
      zipOf(
        assets.map((shown) => ({
          name: shownName(shown, text),
          size: shown.description?.size ?? sealedSizeOf(shown),
          modifiedAt: shown.description?.modifiedAt,
          open: () => fileOf(shown).open(signal),
        })),
      ),
  })
  return {
    now,
    stop,
    async save(assets) {
      try {
        const saved = await save(assets.length > 1 ? [zipOfAll(assets)] : assets.map(fileOf))
        if (saved > 0) showMessage({ tone: 'good', text: text.saving.done(assets.length) })
      } catch (error) {
        if (isGone(error)) onGone?.()
        showMessage({
          tone: 'bad',
          text: isGone(error) ? text.trust.changed : errorText(error),
        })
      }
    },
  }
}

/** A little more than the file, for the progress: the server could state any size for an unsigned file. */
function sealedSizeOf({ asset }: ConsentedAsset): number {
  return asset.blobs.find(({ role }) => role === 'original')?.size ?? 0
}
