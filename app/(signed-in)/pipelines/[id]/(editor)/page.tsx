/** The editor stands in the layout, which stays when the code is opened beside it. */
export default function PipelinePage() {
  return null
}
