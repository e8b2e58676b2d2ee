package usage

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/client-go/rest"
)

// ImageBytes returns the size of each image that the cluster's nodes have, by
// every name that the image goes under. It is what the container runtime
// stores of the image: compressed layers where it was pulled from a registry,
// uncompressed ones where it was loaded from an archive, as into a kind
// cluster; so compare within one cluster only. A kubelet tells of its 50
// largest images (nodeStatusMaxImages).
func ImageBytes(ctx context.Context, client rest.Interface) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, listWithin)
	defer cancel()
	raw, err := client.Get().AbsPath("/api/v1/nodes").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the nodes, for the sizes of their images: %w", err)
	}
	return imageBytes(raw)
}

func imageBytes(raw []byte) (map[string]int64, error) {
	var list struct {
		Items []struct {
			Status struct {
				Images []struct {
					Names     []string `json:"names"`
					SizeBytes int64    `json:"sizeBytes"`
				} `json:"images"`
			} `json:"status"`
		} `json:"items"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("list the nodes, for the sizes of their images: read the answer: %w", err)
	}
	sizes := map[string]int64{}
	for _, node := range list.Items {
		for _, image := range node.Status.Images {
			for _, name := range image.Names {
				sizes[name] = max(sizes[name], image.SizeBytes)
			}
		}
	}
	return sizes, nil
}
