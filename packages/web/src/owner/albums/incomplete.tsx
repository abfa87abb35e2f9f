import type { AssetFacts } from '@blindkeep/client/owner'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Notice } from '../../common/controls.tsx'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { errorText } from '../errorText.ts'
import { useAction } from '../useAction.ts'
import { albumsText } from './texts.ts'

/** Assets whose upload was interrupted, and the way to finish them. */
export function Incomplete({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const { owner, language, showMessage } = useOwnerPages()
  const device = useDevice()
  const text = albumsText(language).incomplete
  const { isBusy, error, run } = useAction()
  useCloseGuard(isBusy)

  async function finish(): Promise<void> {
    let done = 0
    await run(async () => {
      const signer = await device()
      for (const { assetId } of assets) {
        await owner.completeAsset(assetId, { device: signer })
        done++
      }
    })
    if (done > 0) showMessage({ tone: 'good', text: text.done(done) })
  }

  return (
    <Notice tone="warn">
      <p>{text.notice(assets.length)}</p>
      <p class="small soft">{text.explain}</p>
      {error !== undefined && <p class="fault">{errorText(error, language)}</p>}
      <div>
        <Button busy={isBusy} onClick={() => void finish()}>
          {isBusy ? text.finishing : text.finish}
        </Button>
      </div>
    </Notice>
  )
}
