//go:build cluster

package controller

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

// patience is how long the API server and the controller may take for anything.
const patience = 20 * time.Second

// The suite's client, which asks the API server and no cache, and the API server.
var (
	api     client.Client
	testEnv *envtest.Environment
	stop    context.CancelFunc
)

// TestControllers runs the controller against a real API server and etcd, without
// nodes or the cluster's own controllers: a test that needs what these do does it
// itself. KUBEBUILDER_ASSETS is the folder with the two programs.
func TestControllers(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(patience)
	SetDefaultConsistentlyDuration(time.Second)
	RunSpecs(t, "Controller Suite")
}

var _ = BeforeSuite(func() {
	logf.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	var ctx context.Context
	ctx, stop = context.WithCancel(context.Background())

	By("starting an API server and etcd")
	testEnv = &envtest.Environment{
		CRDDirectoryPaths:        []string{filepath.Join("..", "..", "..", "..", "fixtures", "workloads", "memcached", "crd.yaml")},
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: 2 * time.Minute,
	}
	cluster, err := testEnv.Start()
	Expect(err).NotTo(HaveOccurred())
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(cachev1alpha1.AddToScheme(scheme)).To(Succeed())
	api, err = client.New(cluster, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())

	By("starting the manager")
	mgr, err := ctrl.NewManager(cluster, ctrl.Options{
		Scheme: scheme, Cache: CacheOptions(), Metrics: metricsserver.Options{BindAddress: "0"},
	})
	Expect(err).NotTo(HaveOccurred())
	reconciler := &MemcachedReconciler{
		Client: mgr.GetClient(), APIReader: mgr.GetAPIReader(), Scheme: scheme, Recorder: mgr.GetEventRecorder("memcached-controller"),
	}
	Expect(reconciler.SetupWithManager(mgr, Pace{Workers: 8, RetryMost: 10 * time.Second, PriorityQueue: true})).To(Succeed())
	synced := func() error {
		return CachesSynced(mgr.GetCache())(httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
	}
	Expect(synced()).NotTo(Succeed(), "not ready before it starts")
	go func() {
		defer GinkgoRecover()
		Expect(mgr.Start(ctx)).To(Succeed())
	}()
	Eventually(synced).Should(Succeed())
})

var _ = AfterSuite(func() {
	stop()
	Expect(testEnv.Stop()).To(Succeed())
})
