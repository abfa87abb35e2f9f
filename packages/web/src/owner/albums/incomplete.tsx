import type { AssetFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls.tsx'
import { useBusy } from '../busy.ts'
import { useOwnerPages } from '../context.ts'
import { useDevice } from '../device.ts'
import { errorText } from '../errorText.ts'
import { albumsText } from './texts.ts'

/** Assets whose upload was cut short, and the way to finish them. */
export function Incomplete({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const { owner, language, tell } = useOwnerPages()
  const device = useDevice()
  const text = albumsText(language).incomplete
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  useBusy(isBusy)

  async function finish(): Promise<void> {
    setBusy(true)
    setFault(undefined)
    let done = 0
    try {
      const signer = await device()
      for (const { assetId } of assets) {
        await owner.completeAsset(assetId, { device: signer })
        done++
      }
    } catch (error) {
      setFault(errorText(error, language))
    } finally {
      setBusy(false)
      if (done > 0) tell({ tone: 'good', text: text.done(done) })
    }
  }

  return (
    <Notice tone="warn">
      <p>{text.notice(assets.length)}</p>
      <p class="small soft">{text.explain}</p>
      {fault !== undefined && <p class="fault">{fault}</p>}
      <div>
        <Button busy={isBusy} onClick={() => void finish()}>
          {isBusy ? text.finishing : text.finish}
        </Button>
      </div>
    </Notice>
  )
}
