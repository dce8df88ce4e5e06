/** Something wrong with a definition, at a place in it. The wire shape of API errors (`issues`). */
export type Issue = {
  path: (string | number)[]
  code: string
  message: string
  hint?: string
  severity: 'error' | 'warning'
}
