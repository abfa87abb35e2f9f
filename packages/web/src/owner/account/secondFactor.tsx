import { mayBeDone, ProblemError } from '@blindkeep/client/errors'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CodeField } from '../../common/controls/codeField.tsx'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { QrCode } from '../../common/controls/qrCode.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { isCodeWrong } from './codeField.tsx'
import { PasswordForm } from './passwordForm.tsx'
import { SecretList } from './secretList.tsx'
import { Section } from './section.tsx'

interface SecondFactorProps {
  readonly email: string
  readonly isOn: boolean
  readonly reload: () => void
}

type Step =
  | { readonly name: 'idle' | 'password' | 'disable' | 'renew' }
  | { readonly name: 'confirm'; readonly address: string }

const IDLE: Step = { name: 'idle' }

export function SecondFactor({ email, isOn, reload }: SecondFactorProps) {
  const { owner, showMessage, unsaved, onUnsaved } = useOwnerPages()
  const text = useText(accountTexts).factor
  const [step, setStep] = useState<Step>(IDLE)
  const done = (message: string) => {
    showMessage({ tone: 'good', text: message })
    setStep(IDLE)
    reload()
  }
  return (
    <Section title={text.title} state={<span class={`badge ${isOn ? 'good' : ''}`}>{isOn ? text.on : text.off}</span>}>
      {step.name === 'idle' && unsaved.backupCodes === undefined && (
        <>
          <p class="soft">{isOn ? text.explainOn : text.explainOff}</p>
          <div class="row">
            {isOn && <Button onClick={() => setStep({ name: 'renew' })}>{text.renew}</Button>}
            <Button icon="shield" onClick={() => setStep({ name: isOn ? 'disable' : 'password' })}>
              {isOn ? text.disable : text.enroll}
            </Button>
          </div>
        </>
      )}
      {step.name === 'password' && (
        <PasswordForm
          explain={text.askPassword}
          submit={text.next}
          onSubmit={async (present) => setStep({ name: 'confirm', address: await owner.enrollSecondFactor(present) })}
          onCancel={() => setStep(IDLE)}
        />
      )}
      {step.name === 'confirm' && (
        <ConfirmForm
          address={step.address}
          onCodes={(codes) => {
            onUnsaved({ backupCodes: codes })
            setStep(IDLE)
            reload()
          }}
          onUnsure={reload}
          onCancel={() => setStep(IDLE)}
        />
      )}
      {unsaved.backupCodes !== undefined && (
        <BackupCodes
          email={email}
          codes={unsaved.backupCodes}
          onDone={() => {
            onUnsaved({ backupCodes: undefined })
            done(text.codesSaved)
          }}
        />
      )}
      {step.name === 'renew' && (
        <PasswordForm
          explain={text.renewExplain}
          submit={text.renew}
          asksCode
          onSubmit={async (given) => {
            onUnsaved({ backupCodes: await owner.renewBackupCodes(given) })
            setStep(IDLE)
          }}
          onCancel={() => setStep(IDLE)}
        />
      )}
      {step.name === 'disable' && (
        <PasswordForm
          explain={text.disableExplain}
          submit={text.disable}
          asksCode
          onSubmit={async (given) => {
            // Where its answer was lost, it may be off.
            await owner.disableSecondFactor(given).catch((error: unknown) => {
              reload()
              throw error
            })
            done(text.disabled)
          }}
          onCancel={() => setStep(IDLE)}
        />
      )}
    </Section>
  )
}

interface ConfirmFormProps {
  /** SECRET. The authenticator reads it from the QR code. */
  readonly address: string
  readonly onCodes: (codes: readonly string[]) => void
  readonly onUnsure: () => void
  readonly onCancel: () => void
}

function ConfirmForm({ address, onCodes, onUnsure, onCancel }: ConfirmFormProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [code, setCode] = useState('')
  const action = useAction()
  const field = useRef<HTMLInputElement>(null)
  const { error } = action
  const isWrong = isCodeWrong(error)
  const isUnsure = mayBeDone(error) || isOnAlready(error)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (isWrong) field.current?.select()
    if (isUnsure) onUnsure()
  }, [error])
  const secret = new URL(address).searchParams.get('secret') ?? ''
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void action.run(async () => onCodes(await owner.confirmSecondFactor(code)))
      }}
    >
      <p>{text.factor.scan}</p>
      <QrCode text={address} label={text.factor.qr} />
      <p class="stack tight">
        <span>{text.factor.manual}</span>
        <span class="mono secret" translate={false}>
          {secret.replace(/(.{4})(?=.)/gu, '$1 ')}
        </span>
      </p>
      {error !== undefined && !isWrong && <ErrorNotice error={error} />}
      {isUnsure && <Notice tone="warn">{text.factor.unsure}</Notice>}
      <CodeField
        label={text.factor.code}
        code={code}
        onCode={setCode}
        isNumeric
        field={field}
        fault={isWrong ? errorText(error) : undefined}
      />
      <FormButtons submit={text.factor.confirm} isBusy={action.isBusy} onCancel={onCancel} />
    </form>
  )
}

/** A browser sends a lost request again by itself, and is refused if the first one has turned it on. */
function isOnAlready(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.totp_not_pending'
}

interface BackupCodesProps {
  readonly email: string
  readonly codes: readonly string[]
  readonly onDone: () => void
}

function BackupCodes({ email, codes, onDone }: BackupCodesProps) {
  const text = useText(accountTexts).factor
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div class="stack">
      <h3 ref={heading} tabIndex={-1} class="no-print">
        {text.backupTitle}
      </h3>
      <p class="no-print">{text.backupExplain}</p>
      <SecretList
        title={text.backupFileTitle}
        label={text.backupList}
        email={email}
        items={codes}
        fileName={text.backupFile}
        path=""
      />
      <div class="no-print">
        <Button kind="primary" icon="check" onClick={onDone}>
          {text.backupDone}
        </Button>
      </div>
    </div>
  )
}
