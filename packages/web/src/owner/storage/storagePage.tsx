import { useState } from 'preact/hooks'
import { useText } from '../../common/language/reader.ts'
import { storageTexts } from '../ground/texts.ts'
import { CheckResults } from './checkResults.tsx'
import { CheckSection } from './checkSection.tsx'
import { CompareSection } from './compareSection.tsx'
import { KeysSection } from './keysSection.tsx'
import { QuotaCard } from './quotaCard.tsx'
import { ReceiptsDialog, type ReceiptsOf } from './receiptsDialog.tsx'
import { SampleRuns } from './sampleResult.tsx'
import './storage.css'

export { QuotaBanner } from './quotaCard.tsx'

export function StoragePage() {
  const text = useText(storageTexts)
  const [receiptsOf, setReceiptsOf] = useState<ReceiptsOf>()
  return (
    <div class="stack storage">
      <div class="stack tight">
        <h1 tabIndex={-1}>{text.title}</h1>
        <p class="soft">{text.intro}</p>
      </div>
      <QuotaCard />
      <CheckSection />
      <CheckResults onReceipts={setReceiptsOf} />
      <SampleRuns />
      <CompareSection />
      <KeysSection />
      {receiptsOf !== undefined && <ReceiptsDialog of={receiptsOf} onClose={() => setReceiptsOf(undefined)} />}
    </div>
  )
}
