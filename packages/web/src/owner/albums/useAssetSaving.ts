import type { AssetFacts, AssetPermissions, Owner } from '@blindkeep/client/owner'
import { zipOf } from '@blindkeep/client/zip'
import type { FileToSave, Saving } from '../../common/files/useSaving.ts'
import { useSaving } from '../../common/files/useSaving.ts'
import { useText } from '../../common/language/reader.ts'
import { useCloseGuard } from '../../common/work/closeGuard.ts'
import { shownName } from '../assets/assetNames.ts'
import { type ConsentedAsset, isGone } from '../assets/shownAsset.ts'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import { type OneOfMany, type SaveMany, useSaveMany } from '../work/saveMany.tsx'

interface AssetSaving extends Pick<Saving, 'now' | 'stop'>, Pick<SaveMany, 'dialog'> {
  /**
   * Several files go into a folder, or become one ZIP. Call it synchronously in the click's handler. It shows how it
   * ended.
   * `onGone`: a file is no longer the one that was shown.
   */
  save(assets: readonly ConsentedAsset[]): void
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
  const many = useSaveMany()
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
  async function saveAsOne(assets: readonly ConsentedAsset[]): Promise<void> {
    try {
      const saved = await save(assets.length > 1 ? [zipOfAll(assets)] : assets.map(fileOf))
      if (saved > 0) showMessage({ tone: 'good', text: text.saving.done(assets.length) })
    } catch (error) {
      if (isGone(error)) onGone?.()
      showMessage({ tone: 'bad', text: isGone(error) ? text.trust.changed : errorText(error) })
    }
  }

  return {
    now,
    stop,
    dialog: many.dialog,
    save: (assets) =>
      many.ask(
        assets.map((shown) => assetOfMany(owner, shown.asset, { ...shown, name: shownName(shown, text) })),
        () => void saveAsOne(assets),
      ),
  }
}

interface OpenedBy {
  readonly permissions?: AssetPermissions
  /** Otherwise it is read before. */
  readonly name?: string
}

export function assetOfMany(owner: Owner, asset: AssetFacts, { permissions, name }: OpenedBy = {}): OneOfMany {
  const { assetId } = asset
  return {
    ...{ id: assetId, assetId },
    open: async (signal) => {
      const found = name ?? (await owner.describeAsset(asset, { signal })).name
      return { ...(await owner.openAsset(asset, { ...permissions, signal })), name: found }
    },
  }
}

/** A little more than the file, for the progress: the server could state any size for an unsigned file. */
function sealedSizeOf({ asset }: ConsentedAsset): number {
  return asset.blobs.find(({ role }) => role === 'original')?.size ?? 0
}
