import { useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { isIndexOn, turnIndex } from '../find/nameIndex.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { findTexts } from '../ground/texts.ts'
import { Section } from './section.tsx'

/** Whether this browser keeps the names that it has read, to find files by them. */
export function NamesSection() {
  const { owner, baseUrl, showMessage } = useOwnerPages()
  const text = useText(findTexts).index
  const [isOn, setOn] = useState(isIndexOn)
  const action = useAction()
  const turn = (wanted: boolean) =>
    action.run(async () => {
      await turnIndex(wanted, owner, baseUrl)
      setOn(wanted)
      showMessage({ tone: 'good', text: wanted ? text.isOnNow : text.isOff })
    })
  return (
    <Section title={text.title} state={isOn ? <span class="badge good">{text.isOn}</span> : undefined}>
      <p class="soft">{isOn ? text.explain : text.offExplain}</p>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <div>
        <Button busy={action.isBusy} onClick={() => void turn(!isOn)}>
          {isOn ? text.turnOff : text.turnOn}
        </Button>
      </div>
    </Section>
  )
}
