import type { AssetFacts } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { albumsTexts } from '../ground/texts.ts'
import { FinishDialog } from './finishDialog.tsx'

/** Assets whose upload or adoption was interrupted, and the way to look at them and finish them. */
export function Incomplete({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const text = useText(albumsTexts).incomplete
  const [isLooking, setLooking] = useState(false)
  return (
    <Notice tone="warn">
      <p>{text.notice(assets.length)}</p>
      <p class="small soft">{text.explain}</p>
      <div>
        <Button icon="eye" onClick={() => setLooking(true)}>
          {text.review(assets.length)}
        </Button>
      </div>
      {isLooking && <FinishDialog assets={assets} onClose={() => setLooking(false)} />}
    </Notice>
  )
}
