import { countsIn } from '../../common/counts.ts'

export const { number, plural } = countsIn('en')

export const files = (count: number) => `${number(count)} ${plural(count, 'file', 'files')}`
