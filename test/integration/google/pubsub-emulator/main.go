// Pub/Sub for the integration tests: Google's own fake (pstest), and before it the REST API, of which the fake has only gRPC.
// Bodies are translated by Google's own mapping (protojson), so they are those of pubsub.googleapis.com.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"strings"

	pb "cloud.google.com/go/pubsub/v2/apiv1/pubsubpb"
	"cloud.google.com/go/pubsub/v2/pstest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func main() {
	grpcPort := flag.Int("grpc-port", 0, "port of localhost for gRPC: what PUBSUB_EMULATOR_HOST names for clients of Google")
	address := flag.String("http", "127.0.0.1:0", "address of the REST API")
	flag.Parse()

	server := pstest.NewServerWithPort(*grpcPort)
	defer server.Close()
	connection, err := grpc.NewClient(server.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("gRPC at %s, REST at %s", server.Addr, *address)
	log.Fatal(http.ListenAndServe(*address, restOf(connection)))
}

// restOf answers the methods that the tests use; their paths are those of the google.api.http annotations.
func restOf(connection *grpc.ClientConn) http.Handler {
	topics, subscriptions := pb.NewPublisherClient(connection), pb.NewSubscriberClient(connection)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, verb, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), ":")
		kind := ""
		switch parts := strings.Split(name, "/"); len(parts) {
		case 4:
			kind = parts[2]
		case 5:
			kind = parts[2] + "/" + parts[4]
			name = strings.Join(parts[:4], "/")
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			answer(w, nil, err)
			return
		}
		ctx := r.Context()
		switch r.Method + " " + kind + ":" + verb {
		case "PUT topics:":
			call(ctx, w, body, &pb.Topic{Name: name}, topics.CreateTopic)
		case "POST topics:publish":
			call(ctx, w, body, &pb.PublishRequest{Topic: name}, topics.Publish)
		case "GET topics/subscriptions:":
			call(ctx, w, body, &pb.ListTopicSubscriptionsRequest{Topic: name}, topics.ListTopicSubscriptions)
		case "GET subscriptions:":
			call(ctx, w, body, &pb.GetSubscriptionRequest{Subscription: name}, subscriptions.GetSubscription)
		case "PUT subscriptions:":
			call(ctx, w, body, &pb.Subscription{Name: name}, subscriptions.CreateSubscription)
		case "POST subscriptions:pull":
			call(ctx, w, body, &pb.PullRequest{Subscription: name}, subscriptions.Pull)
		case "POST subscriptions:acknowledge":
			call(ctx, w, body, &pb.AcknowledgeRequest{Subscription: name}, subscriptions.Acknowledge)
		case "POST subscriptions:modifyAckDeadline":
			call(ctx, w, body, &pb.ModifyAckDeadlineRequest{Subscription: name}, subscriptions.ModifyAckDeadline)
		default:
			answer(w, nil, status.Errorf(codes.Unimplemented, "%s %s", r.Method, r.URL.Path))
		}
	})
}

// call reads the body into a request that has the name of the path already, and answers what the fake does.
func call[Request, Response proto.Message](
	ctx context.Context,
	w http.ResponseWriter,
	body []byte,
	request Request,
	method func(context.Context, Request, ...grpc.CallOption) (Response, error),
) {
	sent := request.ProtoReflect().New().Interface()
	if len(body) > 0 {
		if err := protojson.Unmarshal(body, sent); err != nil {
			answer(w, nil, status.Error(codes.InvalidArgument, err.Error()))
			return
		}
	}
	proto.Merge(request, sent)
	response, err := method(ctx, request)
	answer(w, response, err)
}

// httpStatus is the mapping of google/rpc/code.proto.
var httpStatus = map[codes.Code]int{
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.FailedPrecondition: http.StatusBadRequest,
	codes.Unauthenticated:    http.StatusUnauthorized,
	codes.PermissionDenied:   http.StatusForbidden,
	codes.NotFound:           http.StatusNotFound,
	codes.AlreadyExists:      http.StatusConflict,
	codes.ResourceExhausted:  http.StatusTooManyRequests,
	codes.Unimplemented:      http.StatusNotImplemented,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
}

func answer(w http.ResponseWriter, message proto.Message, err error) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if err == nil {
		text, _ := protojson.Marshal(message)
		w.Write(text)
		return
	}
	code, found := httpStatus[status.Code(err)]
	if !found {
		code = http.StatusInternalServerError
	}
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{
		"error": map[string]any{"code": code, "message": status.Convert(err).Message(), "status": status.Code(err).String()},
	})
}
