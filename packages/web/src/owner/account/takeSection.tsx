import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { MAX_TAKEN_HOURS } from '../../take/takenFiles.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { takeTexts } from '../ground/texts.ts'
import { canTake, endTaking, isTaking, startTaking } from '../take/taking.ts'
import { Section } from './section.tsx'

/** Whether this device takes files that other apps share with the installed one, and the risk of it. */
export function TakeSection() {
  const { owner, baseUrl, showMessage } = useOwnerPages()
  const { accountId } = owner
  const text = useText(takeTexts)
  const { value: isOn, reload } = useLoaded(() => isTaking({ accountId, baseUrl }))
  const action = useAction()
  const turn = (wanted: boolean) =>
    action.run(async () => {
      await (wanted ? startTaking({ accountId, baseUrl }) : endTaking({ accountId, baseUrl }))
      showMessage({ tone: 'good', text: wanted ? text.started : text.stopped })
      reload()
    })
  const badge = isOn === true ? <span class="badge good">{text.isOn}</span> : undefined
  return (
    <Section title={text.title} state={badge}>
      <p class="soft">{text.explain}</p>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      {isOn === true && <p>{text.install}</p>}
      {isOn === false && !canTake() ? (
        <p class="soft">{text.unsupported}</p>
      ) : (
        <>
          <p class="soft small">{text.storing(MAX_TAKEN_HOURS)}</p>
          <Notice tone="warn">{text.risk}</Notice>
        </>
      )}
      {isOn === false && canTake() && (
        <div>
          <Button icon="add" busy={action.isBusy} onClick={() => void turn(true)}>
            {text.start}
          </Button>
        </div>
      )}
      {isOn === true && (
        <>
          <p class="soft small">{text.stopExplain}</p>
          <div>
            <Button busy={action.isBusy} onClick={() => void turn(false)}>
              {text.stop}
            </Button>
          </div>
        </>
      )}
    </Section>
  )
}
