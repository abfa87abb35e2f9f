import { ProblemError } from '@blindkeep/client/errors'
import { CodeField, type CodeFieldProps } from '../../common/controls/codeField.tsx'
import { useText } from '../../common/language/reader.ts'
import { errorTexts } from '../ground/errorText.ts'
import { accountTexts } from '../ground/texts.ts'

interface AnyCodeFieldProps extends Pick<CodeFieldProps, 'code' | 'onCode' | 'field'> {
  /** Why the last try failed. */
  readonly error: unknown
  readonly hasTried: boolean
}

/** Asks a signed-in owner for a code of the authenticator or a backup code. */
export function AnyCodeField({ code, error, hasTried, ...props }: AnyCodeFieldProps) {
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const missing = hasTried && code.trim() === '' ? text.required : undefined
  const fault = isCodeWrong(error) ? errorText(error) : missing
  return <CodeField {...props} label={text.factor.anyCode} code={code} isNumeric={false} fault={fault} />
}

export function isCodeWrong(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'error.auth.totp_invalid_code'
}
