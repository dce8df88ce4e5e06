/** What a control is that stands in no field of its own. */
export const noControl = {
  id: '',
  title: '',
  onChange: () => undefined,
  required: false,
  empty: undefined,
  invalid: false,
  describedBy: undefined,
}
