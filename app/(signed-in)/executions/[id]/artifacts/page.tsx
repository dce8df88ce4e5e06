import { ArtifactsTab } from '@/components/execution/artifacts-tab'

export default function ExecutionArtifactsPage() {
  return <ArtifactsTab />
}
