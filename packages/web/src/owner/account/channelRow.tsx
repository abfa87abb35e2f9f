import { ProblemError } from '@blindkeep/client/errors'
import type { OwnChannel } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { CodeField } from '../../common/controls/codeField.tsx'
import { Button, Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { endPush } from '../push/browserPush.ts'
import { CheckedForm } from './checkedForm.tsx'
import { ListButton } from './namedList.tsx'

interface ChannelRowProps extends ConfirmFormProps {
  /** Whether the channel is the browser that shows this page. */
  readonly isHere: boolean
}

interface ConfirmFormProps {
  readonly channel: OwnChannel
  readonly reload: () => void
}

export function ChannelRow({ channel, isHere, reload }: ChannelRowProps) {
  const { owner, baseUrl, showMessage } = useOwnerPages()
  const text = useText(accountTexts).notify
  const action = useAction()
  const { channelId, kind, state, shown: to, name, nameFault } = channel
  const shown = name ?? to
  const isUnconfirmed = state === 'unconfirmed'
  const test = () =>
    action.run(async () => {
      const fault = await owner.testChannel(channelId)
      if (fault !== undefined) showMessage({ tone: 'bad', text: text.testFailed(text.faults[fault]) })
      else showMessage({ tone: 'good', text: text.tested })
      reload()
    })
  const remove = () =>
    action.run(async () => {
      await owner.removeChannel(channelId)
      if (isHere) await endPush({ baseUrl })
      showMessage({ tone: 'good', text: text.removed })
      reload()
    })
  return (
    <li class="stack tight">
      <span>
        {kind === 'push' ? text.push.name : text.kinds[kind].name}: <Name>{shown}</Name>{' '}
        {isHere && <span class="badge good">{text.push.here}</span>}{' '}
        {state !== 'active' && <span class="badge warn">{text.states[state]}</span>}
      </span>
      {nameFault !== undefined && <span class="badge bad">{text.push.nameFault}</span>}
      <StateOf {...channel} />
      <div class="row channel-actions">
        {!isUnconfirmed && (
          <ListButton of={shown} busy={action.isBusy} onClick={() => void test()}>
            {text.test}
          </ListButton>
        )}
        <ListButton of={shown} disabled={action.isBusy} onClick={() => void remove()}>
          {text.remove}
        </ListButton>
      </div>
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      {isUnconfirmed && <ConfirmForm channel={channel} reload={reload} />}
    </li>
  )
}

function StateOf({ createdAt, lastSentAt, lastFailedAt, lastFault }: OwnChannel) {
  const text = useText(accountTexts).notify
  const format = useText(formats)
  const added = text.addedAt(format.instant(createdAt))
  const sent = `${added} ${lastSentAt === undefined ? text.nothingSent : text.lastSent(format.instant(lastSentAt))}`
  const hasFailed = lastFault !== undefined && lastFailedAt !== undefined
  const failed = hasFailed ? ` ${text.lastFailed(format.instant(lastFailedAt), text.faults[lastFault])}` : ''
  return <span class="soft small">{`${sent}${failed}`}</span>
}

function ConfirmForm({ channel, reload }: ConfirmFormProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [code, setCode] = useState('')
  const action = useAction()
  const { error } = action
  const isWrong = error instanceof ProblemError && error.code === 'error.channel.code_wrong'
  const digits = code.replace(/\s/gu, '')
  const isComplete = /^\d{8}$/.test(digits)
  const confirm = () =>
    action.run(async () => {
      await owner.confirmChannel(channel.channelId, digits)
      showMessage({ tone: 'good', text: text.notify.confirmed })
      reload()
    })
  return (
    <CheckedForm isComplete={isComplete} onSubmit={() => void confirm()} fieldError={isWrong ? error : undefined}>
      {(hasTried) => (
        <>
          {error !== undefined && !isWrong && <ErrorNotice error={error} />}
          <span class="soft small">{text.notify.noCode}</span>
          <CodeField
            label={text.notify.code}
            code={code}
            onCode={setCode}
            isNumeric
            fault={isWrong ? errorText(error) : hasTried && !isComplete ? text.notify.codeFault : undefined}
          />
          <div>
            <Button kind="primary" submits busy={action.isBusy}>
              {text.notify.confirm}
            </Button>
          </div>
        </>
      )}
    </CheckedForm>
  )
}
