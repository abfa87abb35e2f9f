import { Button } from '../../common/controls/controls.tsx'
import { download } from '../../common/files/download.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import type { CheckState } from './checkRun.ts'
import { jsonReport, textReport } from './report.ts'

interface ReportButtonsProps {
  readonly state: CheckState
  readonly onPrint: () => void
}

export function ReportButtons({ state, onPrint }: ReportButtonsProps) {
  const { baseUrl } = useOwnerPages()
  const text = useText(storageTexts)
  const format = useText(formats)
  const save = (form: 'txt' | 'json') => {
    const writtenAt = new Date().toISOString()
    const facts = { baseUrl, writtenAt, check: state }
    const content = form === 'json' ? jsonReport(facts) : textReport(facts, text, format)
    const type = form === 'json' ? 'application/json' : 'text/plain;charset=utf-8'
    const name = `${text.report.fileName}-${writtenAt.slice(0, 16).replace(/[:T]/g, '-')}.${form}`
    download(new Blob([content], { type }), name)
  }
  return (
    <div class="row no-print">
      <Button icon="download" onClick={() => save('txt')}>
        {text.results.save}
      </Button>
      <Button kind="quiet" onClick={() => save('json')}>
        {text.results.saveJson}
      </Button>
      <Button kind="quiet" icon="print" onClick={onPrint}>
        {text.results.print}
      </Button>
    </div>
  )
}
